/* SPDX-License-Identifier: GPL-2.0 */
"use strict";

/*
 * Open a file of "perf export firefox" in the Firefox Profiler, as its command-line program does, and
 * print "SELF TOTAL FUNCTION" for each function of each thread: firefox.js FILE DIRECTORY. The
 * program keeps its socket in the DIRECTORY, which is to be empty.
 *
 * The program's own command "load" gives its daemon half a second to start, which is not enough on a
 * busy machine. Here the daemon is a child, and is asked until it answers.
 */

const fs = require("fs");
const path = require("path");
const { spawn, spawnSync } = require("child_process");

const [file, directory] = process.argv.slice(2);
const home = path.dirname(require.resolve("@firefox-devtools/profiler-cli/package.json"));
const program = path.join(home, "dist", "profiler-cli.js");
const env = { ...process.env, PROFILER_CLI_SESSION_DIR: directory, PROFILER_CLI_NO_SYMBOLICATE: "1" };
const session = ["--session", "judge", "--json"];
/* Milliseconds that the daemon may need to load the file. */
const LOAD_TIME = 120000;

function ask(...request) {
	const asked = spawnSync(process.execPath, [program, ...request, ...session], { env });

	if (asked.status !== 0)
		throw new Error(`${request.join(" ")}: ${asked.stdout}${asked.stderr}`);
	return JSON.parse(asked.stdout);
}

function list_threads(daemon) {
	const end = Date.now() + LOAD_TIME;

	for (;;) {
		try {
			return ask("thread", "list", "--limit", "0").threads;
		} catch (error) {
			if (/load failed/.test(error.message) || Date.now() > end || !is_alive(daemon))
				throw error;
		}
	}
}

/* A child that has ended is a zombie here: ask() gives the event of its end no time. */
function is_alive(child) {
	const status = fs.readFileSync(`/proc/${child.pid}/status`, "utf8");

	return !/^State:\tZ/m.test(status);
}

const daemon = spawn(process.execPath, [program, "--daemon", file, "--session", "judge"],
		     { env, stdio: "ignore" });

try {
	for (const thread of list_threads(daemon)) {
		const { functions } = ask("thread", "functions", "--thread", thread.threadHandle,
					  "--limit", "0");

		for (const { selfSamples, totalSamples, name } of functions)
			console.log(selfSamples, totalSamples, name);
	}
} catch (error) {
	console.log(`error: ${error.message}`);
	process.exitCode = 1;
} finally {
	daemon.kill();
}

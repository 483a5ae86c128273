# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# TAP for the tests of the scripts. Sourced: check NAME COMMAND [ARGUMENT]... runs
# a command as a test, whose output is shown when it fails; finish ends the text.

number=0
failed=0
work=$(mktemp -d)
# Bash sometimes runs the trap also in a subshell in the background that is killed, whose $$ is the
# number of the script.
at_exit()
{
	local pid

	read -r pid _ </proc/self/stat
	[ "$pid" != $$ ] || rm -rf "$work"
}
trap at_exit EXIT

check()
{
	local name=$1
	shift
	number=$((number + 1))
	if (set -e; "$@") >"$work/output" 2>&1; then
		echo "ok $number $name"
	else
		echo "not ok $number $name"
		sed 's/^/# /' "$work/output"
		failed=1
	fi
}

finish()
{
	echo "1..$number"
	exit "$failed"
}

echo "TAP version 13"

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Functions for tests in shell: results in TAP, a working directory, and running the tool. Tests
# source this file; finish() ends a test.
set -u

: "${PERF:?PERF must be the tool to test}" "${TEST_BUILD:?TEST_BUILD must be set, see tests/run}"

nr_tests=0
nr_failed=0

work=$(mktemp -d)
# What a test has to clean up besides $work: a test redefines this function.
clean()
{
	:
}

# Bash sometimes runs the trap also in a subshell in the background that is killed:
# clean up in the test itself alone, whose number is $$ in every subshell.
at_exit()
{
	# No variable of a test has this name: clean() sees the variables of this function.
	local at_exit_pid

	read -r at_exit_pid _ </proc/self/stat
	[ "$at_exit_pid" = $$ ] || return
	clean
	rm -rf "$work"
}
trap at_exit EXIT
cd "$work" || exit 1
# Keep no files in the build-id cache of the user.
export HOME=$work

ok()		# DESCRIPTION
{
	nr_tests=$((nr_tests + 1))
	echo "ok $nr_tests - $1"
}

not_ok()	# DESCRIPTION [DIAGNOSTIC...]
{
	local line

	nr_tests=$((nr_tests + 1))
	nr_failed=$((nr_failed + 1))
	echo "not ok $nr_tests - $1"
	shift
	for line; do
		printf '%s\n' "$line" | sed 's/^/#   /'
	done
}

skip()		# DESCRIPTION REASON
{
	nr_tests=$((nr_tests + 1))
	echo "ok $nr_tests - $1 # SKIP $2"
}

is()		# GOT EXPECTED DESCRIPTION
{
	if [ "$1" = "$2" ]; then
		ok "$3"
	else
		not_ok "$3" "got:      $1" "expected: $2"
	fi
}

about()		# GOT EXPECTED MORE-OR-LESS DESCRIPTION
{
	if [[ $1 =~ ^-?[0-9]+$ ]] && [ "$1" -ge $(($2 - $3)) ] && [ "$1" -le $(($2 + $3)) ]; then
		ok "$4"
	else
		not_ok "$4" "got:      $1" "expected: $2, within $3"
	fi
}

like()		# GOT REGEX DESCRIPTION
{
	if [[ $1 =~ $2 ]]; then
		ok "$3"
	else
		not_ok "$3" "got: $1" "does not match: $2"
	fi
}

# Does the kernel have perf_counter_open? The tool prints a note if not.
has_perf_counter()
{
	! "$PERF" stat -v -n true 2>&1 | grep -q '^perf: this kernel has no perf_counter_open'
}

# Run the tool; set $status; leave its output in the files out and err, without the note that the
# kernel has no perf_counter_open.
perf()		# ARG...
{
	"$PERF" "$@" >out 2>err.all
	status=$?
	grep -v '^perf: this kernel has no perf_counter_open' err.all >err
	return 0
}

# Check that the tool fails with one line on stderr and with the expected exit status.
fails()		# STATUS REGEX DESCRIPTION ARG...
{
	local expected=$1 regex=$2 what=$3 lines

	shift 3
	perf "$@"
	lines=$(wc -l <err)
	# argp adds a line that points to the help.
	[ "$expected" = 129 ] && lines=$(grep -vc '^Try ' err)
	if [ "$status" = "$expected" ] && [ "$lines" = 1 ] && [[ $(cat err) =~ $regex ]]; then
		ok "$what"
	else
		not_ok "$what" "exit status $status, expected $expected" "stderr: $(cat err)" \
			"expected: $regex"
	fi
}

# Print the samples of a recording, one per line: comm, pid, time, event, period, symbols
# from the innermost to the outermost. Four differences of Debian's perf are removed: it has no
# names for PLT stubs; it takes the first of them for _init; it prints frames of address 0, where
# frame pointers end; and it shows the function at the return address, which for a call by the
# dynamic linker's _start is the next one.
samples()	# FILE-OF-SCRIPT
{
	awk '
	function flush() { if (line != "") print line; line = "" }
	/^[^\t]/ { flush(); sub(/^ +/, ""); sub(/[^ ]*@plt/, "@plt"); gsub(/ +/, " ")
		   line = $0; next }
	/^\t +0 /{ next }
	/^\t/	 { sub(/^_init\+0x[2-9a-f][0-9a-f]$/, ".plt", $2)
		   sub(/^_dl_start_user\+0x0$/, "_start", $2); sub(/\+0x[0-9a-f]+/, "", $2)
		   sub(/^.*@plt/, "@plt", $2); line = line ";" $2 " " $3 }
	END	 { flush() }' "$1"
}

# Print lines of samples(): the part of each chain that both tools find equally. A chain that
# begins in ld.so or the C library is cut after that function, as functions there have no frame
# pointers and lead to wrong callers. A chain in which callers are missing is cut there; OURS has
# the marks of the same samples.
true_chains()	# FILE OURS
{
	awk 'NR == FNR {
		gap = index($0 ";[missing callers]", ";[missing callers]")
		nr_true[FNR] = split(substr($0, 1, gap - 1), frames, ";")
		next
	     }
	     { n = split($0, frames, ";"); line = frames[1]; whole = 0
	       if (FNR in nr_true && n > nr_true[FNR])
			n = nr_true[FNR]
	       for (i = 2; i <= n; i++) {
			line = line ";" frames[i]
			in_user = frames[i] !~ /\(\[|\[unknown\]\)$|\.ko/
			if (in_user && frames[i] !~ /\/(ld-linux[^/]*|libc)\.so/)
				whole = 1
			if (in_user && !whole)
				break
	       }
	       print line }' "$2" "$1"
}

# Record with Debian's perf. While another recorder asks for the build-ids of mappings, Linux sets
# their flag in this recording, too (seen with 6.18). Debian's perf cannot read that: then record
# again.
record_theirs()	# [--pipe] FILE ARG...
{
	local pipe='' file i

	[ "$1" != --pipe ] || { pipe=1; shift; }
	file=$1
	shift
	for i in {1..20}; do
		if [ "$pipe" ]; then
			"$theirs" record -q -o - "$@" >"$file" 2>/dev/null
		else
			"$theirs" record -q -o "$file" "$@" 2>/dev/null
		fi
		[ -z "$("$theirs" script -i "$file" 2>/dev/null | head -1)" ] || return 0
	done
}

# Check that both tools print the same samples with the same symbols; $theirs is Debian's perf. It
# shows inlined functions only in chains that it unwinds itself, so both leave them out.
agree()		# FILE WHAT
{
	"$theirs" script --no-inline -i "$1" >theirs.txt 2>theirs.err
	perf script --no-inline -i "$1"
	is "$status" 0 "script reads $2"
	samples theirs.txt >theirs.all
	samples out >ours.all
	true_chains theirs.all ours.all >theirs.samples
	true_chains ours.all ours.all >ours.samples
	if [ -s theirs.samples ] && cmp -s theirs.samples ours.samples; then
		ok "$(wc -l <ours.samples) samples of $2 are the same in both tools"
	else
		not_ok "the samples of $2 are the same in both tools" \
			"$(diff theirs.samples ours.samples | head -20)"
	fi
}

# Check that both tools print the same rows of a report.
agree_rows()	# FILE WHAT KEYS
{
	local arguments=(report -n --no-children -g none --sort "$3" -i "$1")

	"$theirs" "${arguments[@]}" --stdio 2>/dev/null | table >theirs.table
	perf "${arguments[@]}"
	table <out >ours.table
	if [ -s theirs.table ] && cmp -s theirs.table ours.table; then
		ok "$(wc -l <ours.table) rows of $2 are the same in both tools"
	else
		not_ok "the rows of $2 are the same in both tools" \
			"$(diff theirs.table ours.table | head -20)"
	fi
}

# Print a report without titles, sorted, because equal rows may be in any order.
table()
{
	grep -v '^#' | sed '/^$/d; s/ *$//; s/[^ ]*@plt/@plt/' | sort
}

finish()
{
	echo "1..$nr_tests"
	[ "$nr_failed" = 0 ]
	exit
}

# Have the probes of these groups of events for this test alone: what a killed run has left is
# deleted, and the probes of this run are deleted when it ends, or is stopped by a signal. The
# lock is that of the kernel's file, which other runs see whatever their mounts and /tmp are.
own_probes()	# GROUP...
{
	local lock

	probe_groups=("$@")
	exec {lock}</sys/kernel/tracing/uprobe_events
	flock "$lock"
	delete_probes
	clean()
	{
		delete_probes
	}
	trap 'exit 1' HUP INT TERM
}

delete_probes()
{
	local group

	for group in "${probe_groups[@]}"; do
		"$PERF" probe --del "$group:*" >/dev/null 2>&1
	done
}

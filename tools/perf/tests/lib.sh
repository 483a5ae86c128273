# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests written in shell share: results in TAP, a directory to work
# in, and running the tool. To be sourced; finish() ends the test.
set -u

: "${PERF:?PERF must be the tool to test}" "${TEST_BUILD:?TEST_BUILD must be set, see tests/run}"

nr_tests=0
nr_failed=0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

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

# Does the kernel have perf_counter_open? The tool says when it has not.
has_perf_counter()
{
	! "$PERF" stat -v -n true 2>&1 | grep -q '^perf: this kernel has no perf_counter_open'
}

# Run the tool; leave $status, the file out, and the file err without the line
# about the system call that is used.
perf()		# ARG...
{
	"$PERF" "$@" >out 2>err.all
	status=$?
	grep -v '^perf: this kernel has no perf_counter_open' err.all >err
	return 0
}

# An error is one line, and the exit status says what kind of error.
fails()		# STATUS REGEX DESCRIPTION ARG...
{
	local expected=$1 regex=$2 what=$3 lines

	shift 3
	perf "$@"
	lines=$(wc -l <err)
	# argp adds where help is to be had.
	[ "$expected" = 129 ] && lines=$(grep -vc '^Try ' err)
	if [ "$status" = "$expected" ] && [ "$lines" = 1 ] && [[ $(cat err) =~ $regex ]]; then
		ok "$what"
	else
		not_ok "$what" "exit status $status, expected $expected" "stderr: $(cat err)" \
			"expected: $regex"
	fi
}

finish()
{
	echo "1..$nr_tests"
	[ "$nr_failed" = 0 ]
	exit
}

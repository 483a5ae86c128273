#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs every perf_counter test program and prints one TAP stream: each result
# of each program on a line of its own, numbered from 1, the plan at the end
# (so that a stream that was cut off has none). What a program says about a
# failure stays in front of its result as comments.
#
# usage: run [DIR [PROGRAM...]]	DIR: where the programs were built
#
# PC_LEAVE_OUT names programs that are not run.
#
# A program that dies, hangs or stops before its own plan is fulfilled is one
# more failed result. Exit status: 0 if nothing failed, else 1.
#
# PC_TIMEOUT_SCALE multiplies the seconds that a test and a program may take, and
# divides the rounds of races.

dir=${1:-$(dirname "$0")}
[ $# -gt 0 ] && shift
src=$(cd "$(dirname "$0")" && pwd)
: "${PC_TIMEOUT_SCALE:=1}"
export PC_TIMEOUT_SCALE
limit=$((600 * PC_TIMEOUT_SCALE))

if [ $# -eq 0 ]; then
	set -- allocations attr count control inherit sampling fields off_cpu sideband mappings \
	       moving map_names map_life map_fuzz tasks text tracepoint syscall buffer permission \
	       lsm compat bpf entry32 machine subrings overwrite splice notify output loss \
	       rows hostile races storm tools.sh
fi

n=0
failed=0
echo "TAP version 13"
for program; do
	case " ${PC_LEAVE_OUT-} " in
	*" $program "*) continue ;;
	esac
	path=$dir/$program
	case $program in
	*.sh) path=$src/$program ;;
	esac
	out=$(mktemp)
	start=$(date +%s)
	echo "# $program"
	# The programs make process groups of their own, which die with them.
	( timeout -k 10 "$limit" "$path" 2>&1; echo "PC_EXIT $?" ) </dev/null >"$out" 2>&1 &
	job=$!
	# Results appear as they come, for whoever watches a slow machine.
	tail -n +1 -s 0.1 -f --pid=$job "$out" 2>/dev/null | awk -v program="$program" -v n="$n" '
		/^TAP version/ { next }
		/^1\.\.[0-9]+/ {
			split($0, a, /\.\./)
			plan = a[2] + 0
			planned = 1
			if (/# SKIP/) {
				sub(/.*# SKIP */, "")
				printf "ok %d %s # SKIP %s\n", ++n, program, $0
				skipped = 1
				fflush()
			}
			next
		}
		/^(ok|not ok) [0-9]+/ {
			bad = /^not ok/
			sub(/^(not )?ok [0-9]+ *(- )?/, "")
			printf "%s %d %s: %s\n", bad ? "not ok" : "ok", ++n, program, $0
			seen++
			failed += bad
			fflush()
			next
		}
		/^# +(RUN|OK) / { next }
		/^PC_EXIT / { status = $2; next }
		/^Bail out!/ { why = $0; sub(/^Bail out! */, "", why) }
		{ sub(/^(# *)?/, "# "); print }
		{ fflush() }
		END {
			if (why != "")
				wrong = why
			else if (status == 124 || status == 137)
				wrong = "timed out"
			else if (status == "")
				wrong = "was killed"
			else if (status > 128)
				wrong = "died of signal " status - 128
			else if (!planned)
				wrong = "printed no plan, exit status " status
			else if (!skipped && seen + 0 != plan)
				wrong = "ran " seen + 0 " of " plan " tests, exit status " status
			else if (!failed && status != 0 && !skipped)
				wrong = "exit status " status
			if (wrong != "") {
				printf "not ok %d %s: %s\n", ++n, program, wrong
				failed++
			}
			printf "%d %d\n", n, failed > "/dev/fd/3"
		}' 3>"$out.count"
	wait $job
	read -r n bad <"$out.count"
	failed=$((failed + bad))
	rm -f "$out" "$out.count"
	echo "# $program: $(($(date +%s) - start)) s"
done
echo "1..$n"
echo "# perf_counter selftests: $((n - failed)) passed or skipped, $failed failed"
[ "$failed" -eq 0 ]

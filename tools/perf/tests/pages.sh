# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Functions for tests that run the examples of manual pages with tests/page-examples. A test sources
# this file after lib.sh.

mkdir bin
ln -s "$(realpath "$PERF")" bin/perf
PATH=$work/bin:$PATH

# What this machine has of the features that some examples need.
features=()
if [ -w /sys/kernel/tracing/uprobe_events ]; then
	own_probes probe_app probe_server probe_libc_so_6
	features+=(uprobes)
fi
! has_perf_counter || features+=(perf_counter)
"$PERF" stat -x, -e cycles,cache-misses true 2>&1 | grep -q '<not' || features+=(pmu)

! cc -dumpversion 2>&1 | grep -qx 12 || features+=(gcc-12)

# Programs of other projects in examples, which need not be installed.
export FOREIGN='clang duckdb flamegraph.pl go llvm-profgen stackcollapse-perf.pl'

# The commands of perf, the features, the programs of other projects, and the number of sections of
# the pages that were run.
page_ran=' '
page_needed=' '
page_foreign=' '
page_sections=0

run_page()	# [--program] PAGE
{
	local line

	LC_ALL=C.UTF-8 python3 "$here/tests/page-examples" "$@" "${features[@]}" \
		>"$work/results" 2>"$work/errors"
	while IFS= read -r line; do
		case $line in
		"ok "*) ok "${line#ok }" ;;
		"skip "*) line=${line#skip }; skip "${line% # *}" "${line##* # }" ;;
		"no "*) not_ok "${line#no }" ;;
		"ran"*) page_ran+="${line#ran} " ;;
		"needed"*) page_needed+="${line#needed} " ;;
		"foreign"*) page_foreign+="${line#foreign} " ;;
		"sections "*) page_sections=${line#sections } ;;
		*) echo "$line" ;;
		esac
	done <"$work/results"
	is "$(cat "$work/errors")" "" "the examples of ${!#} can be read"
}

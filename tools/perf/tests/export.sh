# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What tests of perf export compare exported files with. Tests source this file after lib.sh.

# Print "WEIGHT FUNCTION" of a report, like export-sums.
reported()	# RECORDING [OPTION...]
{
	"$PERF" report --no-children -g none --sort sym -F period,sym -i "$@" 2>/dev/null |
		sed -n 's/^ *\([0-9][0-9]*\)  \[.\] /\1 /p' | sed 's/ *$//' |
		awk '{ weight = $1; sub(/^[0-9]+ /, ""); sum[$0] += weight }
		     END { for (name in sum) if (sum[name]) print sum[name] " " name }' | sort -k 2
}

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A perf tool that knows nothing of perf_counter, as a distribution ships it,
# through the compat sysctl: it counts, records, and reads what it recorded.
#
# PERF names the tool (default: perf). With PC_BACKEND=perf_event the switch is
# left alone, which tells what the same tool does on perf_events.

perf=${PERF:-perf}
switch=/proc/sys/kernel/perf_counter_compat
dir=$(mktemp -d)
n=0
failed=0

echo "TAP version 13"

skip_all()
{
	echo "1..0 # SKIP $1"
	rm -rf "$dir"
	exit 4
}

command -v "$perf" >/dev/null 2>&1 || skip_all "no $perf here"
"$perf" --version >/dev/null 2>&1 || skip_all "$perf does not run here"

if [ "$PC_BACKEND" != perf_event ]; then
	if [ ! -e "$switch" ]; then
		echo "Bail out! $switch does not exist: CONFIG_PERF_COUNTERS=y"
		exit 1
	fi
	old=$(cat "$switch")
	echo 1 >"$switch"
fi

clean()
{
	[ -z "$old" ] || echo "$old" >"$switch"
	rm -rf "$dir"
}
trap clean EXIT

# result NAME COMMAND...: one line of TAP, and what was said if it failed
result()
{
	name=$1
	shift
	n=$((n + 1))
	if "$@" >"$dir/said" 2>&1; then
		echo "ok $n $name"
	else
		failed=$((failed + 1))
		sed 's/^/# /' "$dir/said"
		echo "not ok $n $name"
	fi
}

# A program that uses a known amount of everything: some CPU time, in the shell.
cat >"$dir/busy" <<'END'
i=0
while [ $i -lt "$1" ]; do i=$((i + 1)); done
END

# One that runs for a fifth of a second of CPU time, on any machine: 20 ticks.
cat >"$dir/spin" <<'END'
used=0 rounds=0
# So much time, and so much to do: a CPU that a busy host stops uses time as well.
while [ $used -lt 20 ] || [ $rounds -lt 20 ]; do
	rounds=$((rounds + 1))
	i=0
	while [ $i -lt 1000 ]; do i=$((i + 1)); done
	read -r _ _ _ _ _ _ _ _ _ _ _ _ _ user system _ </proc/$$/stat
	used=$((user + system))
done
END

# value EVENT: of perf stat -x, output
value()
{
	awk -F, -v event="$1" '$3 ~ "^" event { print $1; exit }' "$dir/stat"
}

stat_counts()
{
	"$perf" stat -x, -o "$dir/stat" -e page-faults,context-switches,task-clock \
		sh "$dir/busy" 1000 || return 1
	cat "$dir/stat"
	# A shell cannot start without page faults, nor run without using the CPU.
	[ "$(value page-faults)" -gt 10 ] || return 1
	value context-switches | grep -q '^[0-9][0-9]*$' || return 1
	value task-clock | awk '{ exit !($1 > 0) }'
}

stat_follows_children()
{
	"$perf" stat -x, -o "$dir/stat" -e page-faults sh -c ':' || return 1
	one=$(value page-faults)
	"$perf" stat -x, -o "$dir/stat" -e page-faults \
		sh -c 'for i in 1 2 3 4 5; do sh -c :; done; :' || return 1
	six=$(value page-faults)
	echo "one shell: $one, six: $six"
	[ "$six" -gt $((3 * one)) ]
}

stat_repeats()
{
	"$perf" stat -r 3 -x, -o "$dir/stat" -e page-faults true || return 1
	cat "$dir/stat"
	[ "$(value page-faults)" -gt 0 ]
}

stat_per_cpu()
{
	"$perf" stat -a -x, -o "$dir/stat" -e cpu-clock true || return 1
	cat "$dir/stat"
	value cpu-clock | awk '{ exit !($1 > 0) }'
}

record()
{
	"$perf" record -q -e cpu-clock -F 500 -o "$dir/perf.data" sh "$dir/spin"
}

script_shows_samples()
{
	"$perf" script -i "$dir/perf.data" -F comm,pid,time,event,ip >"$dir/script" || return 1
	head -5 "$dir/script"
	samples=$(grep -c 'cpu-clock' "$dir/script")
	ours=$(grep -c '^ *sh .*cpu-clock' "$dir/script")
	echo "$samples samples, $ours of sh"
	[ "$samples" -ge 5 ] && [ "$ours" -ge $((samples / 2)) ]
}

report_resolves()
{
	"$perf" report --stdio -i "$dir/perf.data" --sort comm,dso >"$dir/report" || return 1
	cat "$dir/report"
	grep -q '^ *[0-9.]*% *sh ' "$dir/report"
}

record_faults_exactly()
{
	# One sample per fault, in whichever process of the tree.
	"$perf" record -q -e page-faults -c 1 -o "$dir/faults.data" \
		"$perf" stat -x, -o "$dir/stat" -e page-faults:u sh "$dir/busy" 10 || return 1
	counted=$(value page-faults)
	recorded=$("$perf" script -i "$dir/faults.data" -F comm,event | grep -c '^ *sh ')
	echo "counted $counted in user mode, recorded $recorded"
	[ "$recorded" -gt 0 ] && [ "$counted" -gt 0 ]
}

record_with_callchains()
{
	"$perf" record -q -g -e cpu-clock -F 500 -o "$dir/chains.data" \
		sh "$dir/spin" || return 1
	"$perf" script -i "$dir/chains.data" -F comm,ip,sym >"$dir/chains" || return 1
	head -20 "$dir/chains"
	[ -s "$dir/chains" ]
}

result "perf stat counts" stat_counts
result "perf stat follows children" stat_follows_children
result "perf stat -r repeats" stat_repeats
result "perf stat -a counts CPUs" stat_per_cpu
result "perf record records" record
result "perf script shows the samples" script_shows_samples
result "perf report resolves them" report_resolves
result "perf record takes every page fault" record_faults_exactly
result "perf record -g records call chains" record_with_callchains

echo "1..$n"
[ "$failed" -eq 0 ]

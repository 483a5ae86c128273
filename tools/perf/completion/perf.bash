# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Completion of perf's arguments in bash. Commands, options, sort keys, fields, events and metrics
# are those that perf itself lists, on this kernel.

# Print the description of an option as one line: "-F, --fields=FIELD Print comm, tid, ...".
_perf_option()		# OPTION COMMAND...
{
	local option=$1

	shift
	perf "$@" --help 2>/dev/null | awk -v option="$option" '
		/^  +-/ { on = 0; n = split($0, words, /[ ,=[]+/)
			  for (i = 1; i <= n; i++) if (words[i] == option) on = 1 }
		on { printf "%s ", $0 }' | tr -s ' '
}

# Print the names that "perf list" has of these kinds. A line has a name, and others after "OR",
# before its kind in brackets.
_perf_listed()		# KIND...
{
	perf list "$@" 2>/dev/null | sed -n 's/^  \([^ ].*\)/\1/; t names; d; :names; s/\[.*//; s/ OR / /g; p'
}

_perf_syscalls()
{
	local name

	for name in /sys/kernel/tracing/events/syscalls/sys_enter_*; do
		[ -e "$name" ] && echo "${name##*/sys_enter_}"
	done
}

# Print the names that the value of an option can have, for options whose values are names.
_perf_names()		# OPTION COMMAND [SUBCOMMAND]
{
	case $2:$1 in
	trace:-e|trace:--event)
		_perf_syscalls
		echo file network memory process ipc %signal
		_perf_listed tracepoint ;;
	trace:-F|trace:--pf)	echo all maj min ;;
	stat:-e|stat:--event)	_perf_listed hw sw cache tool tracepoint ;;
	trace:--summary-mode)	echo thread total ;;
	*:-e|*:--event)		_perf_listed hw sw cache tracepoint ;;
	*:-M|*:--metrics)	_perf_listed metric ;;
	*:-p|*:--pid|*:-t|*:--tid)
		case $2 in
		report|script|export) ;;
		*)		(cd /proc && printf '%s\n' [0-9]*) ;;
		esac ;;
	report:-g|report:--call-graph)
		echo graph fractal flat folded none caller callee function address ;;
	*:--call-graph)		echo fp lbr dwarf ;;
	sched:-s|sched:--sort)	echo avg max switch runtime ;;
	lock:-k|lock:--key|lock:-F|lock:--field)
		echo contended wait_total wait_max wait_min avg_wait ;;
	lock:-Y|lock:--type-filter)
		echo mutex spinlock rwlock rwsem rtmutex rwlock-rt pcpu-sem semaphore futex ;;
	export:-s|export:--sort) echo comm dso sym srcline srcfile pid tid cpu cgroup ;;
	export:--root)		echo comm pid tid ;;
	export:--rows)		echo csv json ;;
	*:-s|*:--sort)
		_perf_option --sort "$2" | sed 's/.* By \([^(]*\).*/\1/; s/, or fields.*//; s/,/ /g' ;;
	*:-F|*:--fields)
		_perf_option --fields "$2" | sed -n 's/.* Print \([^;]*\);.*/\1/; s/,/ /gp' ;;
	*:--control)		echo fd: fifo: ;;
	*:-k|*:--clockid)	echo monotonic monotonic_raw realtime boottime tai ;;
	esac
}

# Complete the value of an option: a name, after the last comma, or a file.
_perf_value()		# OPTION WORD COMMAND [SUBCOMMAND]
{
	local option=$1 word=$2 before='' names

	shift 2
	names=$(_perf_names "$option" "$@")
	if [ -z "$names" ]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return
	fi
	if [[ $word == *,* ]]; then
		before=${word%,*},
		word=${word##*,}
	fi
	if [[ $word == [-+!]* ]]; then
		before+=${word:0:1}
		word=${word:1}
	fi
	mapfile -t COMPREPLY < <(compgen -P "$before" -W "$names" -- "$word")
}

_perf_takes_value()	# OPTION COMMAND...
{
	[[ $(_perf_option "$@") =~ (^|[ ,])--?[a-zA-Z_-]+= ]]
}

# Complete the last of these words.
_perf_words()		# perf COMMAND... WORD
{
	local word=${!#} before=("${@:1:$#-1}") previous command
	local sched='record latency timehist map script' lock='record contention'

	previous=${before[-1]}
	command=("${before[@]:1:1}")
	case ${#before[@]}:${before[1]-} in
	1:)	mapfile -t COMPREPLY < <(compgen -W "$(perf --help 2>/dev/null |
			sed -n 's/^   \([a-z-]*\) .*/\1/p') help --help --version" -- "$word")
		return ;;
	2:help)	_perf_words perf "$word"
		return ;;
	2:sched|2:lock)
		mapfile -t COMPREPLY < <(compgen -W "${!command[0]} --help" -- "$word")
		return ;;
	2:list)	[[ $word == -* ]] ||
			mapfile -t COMPREPLY < <(compgen -W "hw sw cache raw tool tracepoint pmu vendor metric" -- "$word") ;;
	2:export) [[ $word == -* ]] ||
			mapfile -t COMPREPLY < <(compgen -W "$(perf export --help 2>/dev/null |
				sed -n 's/^FORMAT is one of: //p' | tr -d ,)" -- "$word") ;;
	*:trace) [ "${before[2]-}" = record ] && command=(record) ;;
	*:sched|*:lock) # perf sched record has the options of perf record; script, those of perf script.
		command=("${command[0]}" "${before[2]}")
		case ${before[2]} in
		record|script) command=("${before[2]}") ;;
		esac ;;
	esac
	if [ "$word" = = ]; then
		# "--event=NAME" comes as three words.
		_perf_value "$previous" '' "${command[@]}"
	elif [ "$previous" = = ]; then
		_perf_value "${before[-2]}" "$word" "${command[@]}"
	elif _perf_takes_value "$previous" "${command[@]}"; then
		_perf_value "$previous" "$word" "${command[@]}"
	elif [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(perf "${command[@]}" --help 2>/dev/null |
			sed -n '/^  /{s/=[^ ,]*//g; s/^\( *-[^ ]*\( *-[^ ]*\)*\).*/\1/; s/,/ /g; /^ *-/p}')" \
			-- "$word")
	elif [ ${#COMPREPLY[@]} = 0 ]; then
		# A program, or a file.
		mapfile -t COMPREPLY < <(case ${command[0]} in
			stat|record|trace) compgen -c -- "$word" ;;
			esac; compgen -f -- "$word")
	fi
}

_perf()
{
	local words=() joined i

	COMPREPLY=()
	# bash divides a word at its colons; "sched:sched_switch" is one.
	for ((i = 0; i <= COMP_CWORD; i++)); do
		if [ ${#words[@]} -gt 1 ] && [[ ${COMP_WORDS[i]} == : || ${words[-1]} == *: ]]; then
			words[-1]+=${COMP_WORDS[i]}
		else
			words+=("${COMP_WORDS[i]}")
		fi
	done
	_perf_words "${words[@]}"
	# bash replaces the last part only.
	joined=${words[-1]}
	if [[ $joined == *:* && $COMP_WORDBREAKS == *:* ]]; then
		COMPREPLY=("${COMPREPLY[@]#"${joined%"${joined##*:}"}"}")
	fi
}

complete -o filenames -o bashdefault -F _perf perf

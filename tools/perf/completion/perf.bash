# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Completion of perf's arguments in bash. Commands, options, events and metrics are
# those that perf itself lists, on this kernel.

# The value of an option: files, processes, or names that perf lists, after the last comma.
_perf_value()
{
	local word=$2 before='' names

	case $1 in
	-e|--event)	names=$(perf list hw sw cache 2>/dev/null) ;;
	-M|--metrics)	names=$(perf list metric 2>/dev/null) ;;
	-p|--pid|-t|--tid) names=$(cd /proc && printf '  %s\n' [0-9]*) ;;
	*)		mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
	esac
	if [[ $word == *,* ]]; then
		before=${word%,*},
		word=${word##*,}
	fi
	# A line has a name, and others after "OR", before its kind in brackets.
	names=$(sed -n 's/^  \([^ ].*\)/\1/; t names; d; :names; s/\[.*//; s/ OR / /g; p' <<<"$names")
	mapfile -t COMPREPLY < <(compgen -P "$before" -W "$names" -- "$word")
}

_perf()
{
	local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} help

	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		help=$(perf --help 2>/dev/null | sed -n 's/^   \([a-z-]*\) .*/\1/p')
		mapfile -t COMPREPLY < <(compgen -W "$help help --help --version" -- "$word")
		return
	fi
	# "--event=NAME" comes as three words.
	if [ "$word" = = ]; then
		_perf_value "$previous" ''
		return
	elif [ "$previous" = = ]; then
		_perf_value "${COMP_WORDS[COMP_CWORD-2]}" "$word"
		return
	fi
	if [[ $word == -* ]]; then
		help=$(perf "${COMP_WORDS[1]}" --help 2>/dev/null |
			sed -n '/^  /{s/=[^ ,]*//g; s/^\( *-[^ ]*\( *-[^ ]*\)*\).*/\1/; s/,/ /g; /^ *-/p}')
		mapfile -t COMPREPLY < <(compgen -W "$help" -- "$word")
		return
	fi
	case $previous in
	-e|-M|-p|-t|--event|--metrics|--pid|--tid)
		_perf_value "$previous" "$word" ;;
	*)	# A program, or a file.
		mapfile -t COMPREPLY < <(case ${COMP_WORDS[1]} in
			stat|record) compgen -c -- "$word" ;;
			esac; compgen -f -- "$word") ;;
	esac
}

complete -o filenames -o bashdefault -F _perf perf

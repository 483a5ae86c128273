# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# What every script here shares: where things are, how to say what is going on,
# and how to stop with one line that names the thing, the reason and the remedy.
# Sourced, never run; the sourcing script has already said 'set -euo pipefail'.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
BUILD=$ROOT/build
GUEST=$ROOT/tools/testing/perf_counter/guest
LINUX=$BUILD/linux
LOG=$BUILD/log
CACHE=${XDG_CACHE_HOME:-~/.cache}/perf-counter
ME=scripts/${0##*/}

say()
{
	printf '== %s\n' "$*" >&2
}

die()
{
	printf '%s: %s\n' "$ME" "$*" >&2
	exit 1
}

# The leading comment of a script is its help text: everything from the line
# after the SPDX tag to the first line that is not a comment.
usage()
{
	sed -n '3,/^[^#]/{/^#/{s/^# \{0,1\}//;p}}' "$0"
}

# One checksum for whatever comes in on standard input.
digest()
{
	sha256sum | cut -d ' ' -f 1
}

# Hold NAME's lock until the script, or the subshell, ends. The descriptor is to
# be closed in children that may live longer: "9>&-".
lock()
{
	local file=$BUILD/.lock-$1

	mkdir -p "$BUILD"
	exec 9>>"$file"
	if ! flock -n 9; then
		say "waiting for another run that uses ${file#"$ROOT"/}"
		flock 9
	fi
}

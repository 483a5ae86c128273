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

# The properties of QEMU's -cpu max that make a PMU: MODEL of the list, and more.
pmu_properties()
{
	local models=$ROOT/tools/testing/perf_counter/qemu/models.list model=${1%%,*} properties

	properties=$(awk -F ' *[|] *' -v model="$model" '$1 == model { print $2 }' "$models")
	[ -n "$properties" ] ||
		die "there is no PMU '$model': $(awk '/[|]/ { printf sep $1; sep = ", " }' "$models")"
	printf '%s\n' "$properties${1#"$model"}"
}

# One checksum for whatever comes in on standard input.
digest()
{
	sha256sum | cut -d ' ' -f 1
}

# Whatever is compiled with ccache from here on is compiled once, whatever clone it
# is in. What a file includes is known from the compiler's list of it, where it makes
# one: a file that is not in the cache is not preprocessed another time to find out.
use_ccache()
{
	export CCACHE_DIR=$CACHE/ccache CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1
	export CCACHE_MAXSIZE=5G CCACHE_COMPRESS=1 CCACHE_DEPEND=1
}

# use_arch ARCHITECTURE: programs that scripts/cc compiles are for it, and the directories
# that they are built in have names that end with $arch_suffix. Names of other tools of
# compilers begin with $arch_cross. x86_64 is this machine's.
use_arch()
{
	arch_suffix='' arch_cross=''
	case $1 in
	x86_64)	unset PC_SYSROOT ;;
	ppc64le)
		PC_SYSROOT=$("$ROOT/scripts/root-ppc64le")
		export PC_SYSROOT
		arch_suffix=-ppc64le
		arch_cross=powerpc64le-linux-gnu-
		# What the tool asks about the libraries that it is linked with.
		export PKG_CONFIG_SYSROOT_DIR=$PC_SYSROOT
		export PKG_CONFIG_LIBDIR=$PC_SYSROOT/usr/lib/powerpc64le-linux-gnu/pkgconfig:$PC_SYSROOT/usr/share/pkgconfig ;;
	*)	die "there is no architecture '$1': x86_64 or ppc64le" ;;
	esac
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

# The cache holds directories of artifacts, each with its key and checksums:
# $CACHE/KIND/ENTRY. One is good when it is complete and its checksums hold.
intact()
{
	[ "$(cat "$1/key" 2>/dev/null)" = "$2" ] &&
		(cd "$1" && sha256sum --status -c SHA256SUMS 2>/dev/null)
}

# seal DIRECTORY KEY FILE...: what is in it is what belongs to this key.
seal()
{
	local dir=$1 key=$2

	shift 2
	(cd "$dir" && sha256sum "$@" >SHA256SUMS)
	printf '%s\n' "$key" >"$dir/key"
}

# remember KIND ENTRY DIRECTORY COUNT: into the cache, under a temporary name
# first: nobody sees half an entry. The COUNT entries used last stay.
remember()
{
	local kind=$CACHE/$1 entry=$CACHE/$1/$2 new=$CACHE/$1/.new.$$

	mkdir -p "$kind"
	rm -rf "$entry"
	cp -a --reflink=auto "$3" "$new"
	mv -T "$new" "$entry" 2>/dev/null || rm -rf "$new"
	find "$kind" -mindepth 1 -maxdepth 1 -type d -printf '%T@ %p\n' |
		sort -rn | tail -n "+$(($4 + 1))" | cut -d ' ' -f 2- | xargs -r -d '\n' rm -rf
}

# settle DIRECTORY.new.PID DIRECTORY: a complete directory gets its name in the cache, which all
# clones share. When another clone was faster, its directory stays, and this one goes. So do those
# of scripts that were ended before they were complete.
settle()
{
	local new

	mv -T "$1" "$2" 2>/dev/null || rm -rf "$1"
	for new in "$2".new.*; do
		[ -d "/proc/${new##*.}" ] || rm -rf "$new"
	done
	[ -d "$2" ] || die "no directory can be made at $2"
}

# recall KIND ENTRY DIRECTORY KEY WHAT: from the cache, when it is there and good.
recall()
{
	local entry=$CACHE/$1/$2

	[ -d "$entry" ] || return 1
	if ! intact "$entry" "$4"; then
		say "the cached $5 is damaged: building it again"
		rm -rf "$entry"
		return 1
	fi
	say "$5 comes from the cache"
	touch "$entry"
	rm -rf "$3"
	mkdir -p "${3%/*}"
	cp -a --reflink=auto "$entry" "$3"
}

# tap_of_boot NAME ARG...: print the results of a boot with scripts/boot's ARGs, NAME in front,
# without their plan. After a failure, the guest's standard error follows as comments. Both
# outputs stay in files: $tap_output and $tap_output.err.
tap_of_boot()
{
	local name=$1 ended=0

	shift
	"$ROOT/scripts/boot" --no-build "$@" >"$tap_output" 2>"$tap_output.err" || ended=$?
	sed -E -e '/^(TAP version|1\.\.)/d' -e "s/^((not )?ok) [0-9]+ /\1 - $name: /" "$tap_output"
	# A plan says that all tests have run.
	grep -q '^1\.\.[1-9]' "$tap_output" || ended+=", without a plan"
	[ "$ended" = 0 ] || sed -E 's/^(# )?/# /' "$tap_output.err"
	# A failed test has printed its result, and ends with 1.
	case $ended in
	0|1) ;;
	*) echo "not ok - $name: the guest ended with $ended" ;;
	esac
}

# Results of several boots become one stream: they are numbered, and have a plan.
tap_number()
{
	echo "TAP version 13"
	awk '/^(not )?ok - / { n++; sub(/ok - /, "ok " n " ") } { print; fflush() } END { print "1.." n + 0 }'
}

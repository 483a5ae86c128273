# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Packages that are used without being installed: the machine's own package sources, with
# the suites and the architecture that somebody needs, in a state of apt's that nothing
# but these functions uses. Sourced after lib.sh by scripts that have said
#
#   apt_state    a directory for that state
#   suites       names of suites, in the place of the machine's release
#   apt_options  more options, such as an architecture
#   log          where apt's messages go

apt()
{
	"apt-$1" -q -o Dir::Etc::SourceList="$apt_state/sources.list" \
		-o Dir::Etc::SourceParts="$apt_state/parts" -o Acquire::Languages=none \
		-o Dir::State::Lists="$apt_state/lists" -o Dir::Cache="$apt_state/cache" \
		"${apt_options[@]}" "${@:2}" </dev/null 2>>"$log" 9>&-
}

package_sources()
{
	local file suite release

	# shellcheck disable=SC1091
	release="($(. /etc/os-release && echo "${VERSION_CODENAME-}")|oldstable|stable)"
	mkdir -p "$apt_state/parts" "$apt_state/lists/partial" "$apt_state/cache/archives/partial"
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ -f "$file" ] || continue
		for suite in "${suites[@]}"; do
			sed -nE "s/^[[:space:]]*deb(-src)?([[:space:]].*[[:space:]])$release([[:space:]])/deb\2$suite\4/p" "$file"
		done
	done | sort -u | sed 'p; s/^deb/deb-src/' >"$apt_state/sources.list"
	for file in /etc/apt/sources.list.d/*.sources; do
		[ ! -f "$file" ] ||
			awk -v RS= -v ORS='\n\n' "/(^|\\n)Suites:([^\\n]*[[:space:]])?$release([[:space:]]|\$)/" "$file" |
			sed -E "s/^Types:.*/Types: deb deb-src/; s/^Suites:.*/Suites: ${suites[*]}/" \
			>"$apt_state/parts/${file##*/}"
	done
}

# newest PACKAGE COMMAND...: run it with the newest of the versions, which come on
# standard input, that there is: a mirror may list one that it no longer has.
newest()
{
	local package=$1 versions version
	shift

	mapfile -t versions < <(sort -ruV)
	[ ${#versions[@]} -gt 0 ] ||
		die "the machine's package sources, with ${suites[*]}, have no $package: see ${log#"$ROOT"/}"
	for version in "${versions[@]}"; do
		! "$@" "$version" >>"$log" || return 0
		say "version $version of $package cannot be fetched"
	done
	die "no version of $package can be fetched (${versions[*]}): see ${log#"$ROOT"/}"
}

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Made-up recordings of each instruction of a program, and the places in the source that the tool
# and addr2line print for them. Sourced by tests.

base=0x10000000

# Print the addresses of the instructions in .text.
instructions()	# PROGRAM
{
	objdump -d -j .text --no-show-raw-insn "$1" | sed -n 's/^ *\([0-9a-f]*\):\t.*/0x\1/p'
}

# Make a recording of a program with a sample, and a call chain, for each line from standard input:
# address, and return address if the sample has a caller.
recording()	# PROGRAM FILE
{
	local addr offset size at

	read -r addr offset size _ < <(readelf -SW "$1" |
		sed -n 's/^ *\[ *[0-9]*\] \.text *PROGBITS *//p')
	{
		printf '%s\n' "event 0" chains "comm 100 program"
		printf 'mmap 100 0x%x 0x%x 0x%x %s\n' \
			$((base + 0x$addr)) $((0x$size)) $((0x$offset)) "$1"
		while read -r at caller; do
			printf 'sample 100 1000 0x%x chain=0xfffffffffffffe00,0x%x%s\n' \
				$((base + at)) $((base + at)) \
				"${caller:+$(printf ',0x%x' $((base + caller)))}"
		done
	} | "$TEST_BUILD/made-recording" >"$2"
}

# Print the frames of each sample as "FUNCTION@FILE:LINE", the innermost first.
frames()	# RECORDING [OPTION...]
{
	"$PERF" script -F ip,sym,srcline -i "$@" 2>script.err |
		awk '/^\t/	 { sub(/^\t *[^ ]* /, ""); name = $0; next }
		     /^  /	 { sub(/^  /, ""); sub(/ \(inlined\)$/, "")
				   frames = frames (frames ? ";" : "") name "@" $0; next }
		     frames	 { print frames; frames = "" }
		     END	 { if (frames) print frames }'
}

# Print the places of each address in a file as "FILE:LINE;...", or "?" if one of them is unknown.
places()	# PROGRAM ADDRESSES
{
	addr2line -ai -e "$1" <"$2" |
		awk '/^0x/	 { if (NR > 1) print unknown ? "?" : places
				   places = ""; unknown = 0; next }
		     /[:?]\?/	 { unknown = 1 }
				 { sub(/ \(discriminator.*/, ""); sub(/.*\//, "")
				   places = places (places ? ";" : "") $0 }
		     END	 { print unknown ? "?" : places }'
}

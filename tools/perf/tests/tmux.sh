# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# shellcheck disable=SC2154 # lib.sh sets $work
#
# A terminal of tmux, for tests of what the tool shows on one. Tests source this file after lib.sh.
export LC_ALL=C.UTF-8
socket='' terminals=0

# shellcheck disable=SC2317 # called by the trap
clean()
{
	[ -z "$socket" ] || tmux -L "$socket" kill-server 2>/dev/null
}

# open COLUMNS LINES COMMAND: run a command on a new terminal of that size. A server that ends would
# refuse the next terminal: each has its own. The server does not keep the descriptors 8 and 9 of a
# test open.
open()
{
	clean
	terminals=$((terminals + 1))
	socket=browse-$$-$terminals
	tmux -L "$socket" -f /dev/null new-session -d -s s -x "$1" -y "$2" \
		"cd '$work'; $3; echo \"ended \$?\"; exec cat" 8>&- 9<&-
}

keys()
{
	tmux -L "$socket" send-keys -t s "$@"
}

screen()
{
	tmux -L "$socket" capture-pane -p -t s "$@"
}

# shows REGEX DESCRIPTION: wait until a line of the screen matches.
shows()
{
	local i

	for ((i = 0; i < 400; i++)); do
		screen >shown
		if grep -qE -- "$1" shown; then
			ok "$2"
			return
		fi
		sleep 0.05
	done
	not_ok "$2" "no line matches '$1':" "$(cat shown)"
}

# hides REGEX DESCRIPTION: wait until no line of the screen matches.
hides()
{
	local i

	for ((i = 0; i < 400; i++)); do
		screen >shown
		if ! grep -qE -- "$1" shown; then
			ok "$2"
			return
		fi
		sleep 0.05
	done
	not_ok "$2" "a line matches '$1':" "$(cat shown)"
}

# chosen REGEX DESCRIPTION: wait until the chosen line, which is reversed, matches.
chosen()
{
	local i

	for ((i = 0; i < 400; i++)); do
		screen -e | sed -n 's/^.*\x1b\[[0-9;]*7m//p' >shown
		if grep -qE -- "$1" shown; then
			ok "$2"
			return
		fi
		sleep 0.05
	done
	not_ok "$2" "the chosen line does not match '$1':" "$(cat shown)" "$(screen)"
}

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# How far something is that takes long, for whoever looks: a line on stderr, written anew each
# second, if stderr is a terminal. Logs get nothing of it. To be sourced.
#
#	progress_begin "what is done" [COMMAND]	# COMMAND prints how far, such as "7 of 80 files"
#	...
#	progress_end

progress_pid=

progress_begin() {	# TEXT [COMMAND]
	[ -t 2 ] && [ -z "$progress_pid" ] || return 0
	# Whoever waits for our output, or for a lock, must not wait for this
	progress_show $$ "$@" < /dev/null > /dev/null 9>&- &
	progress_pid=$!
}

# Ends by itself if the script does
progress_show() {	# PID TEXT [COMMAND]
	local begin=$SECONDS columns line far
	sleep 2
	while kill -0 "$1" 2> /dev/null; do
		far=
		[ -z "${3-}" ] || far="$("$3" 2> /dev/null), "
		columns=$(stty size <&2 2> /dev/null | cut -d ' ' -f 2)
		[ "${columns:-0}" -gt 0 ] || columns=80
		line="$2: $far$((SECONDS - begin)) s"
		printf '\r%s\033[K' "${line:0:columns - 1}" >&2
		sleep 1
	done
}

progress_end() {
	[ -n "$progress_pid" ] || return 0
	kill "$progress_pid" 2> /dev/null || true
	wait "$progress_pid" 2> /dev/null || true
	progress_pid=
	printf '\r\033[K' >&2
}

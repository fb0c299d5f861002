# SPDX-License-Identifier: MIT
# TAP for the shell tests of qemu/vm; to be sourced.
# shellcheck shell=bash

count=0
failed=0
out=$work/out
err=$work/err

# Run vm, with its output in $out and $err and its status in $rc
vm() {
	"$vm" "$@" >"$out" 2>"$err" </dev/null
	rc=$?
}

# The condition is a command: ok NAME COMMAND...
ok() {
	local name=$1
	shift
	count=$((count + 1))
	if "$@"; then
		echo "ok $count - $name"
		return
	fi
	failed=1
	echo "# failed: $*; status $rc"
	sed 's/^/# err: /' "$err" | head -n 40
	head -c 2000 "$out" | sed 's/^/# out: /'
	echo "not ok $count - $name"
}

is() { [ "$1" = "$2" ]; }
says() { grep -qE "$1" "$2"; }
silent() { [ ! -s "$1" ]; }

finish() {
	echo "1..$count"
	exit $failed
}

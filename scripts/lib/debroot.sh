# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2034  # what the script sets, and what it reads
# Tests in a root of qemu/roots as root of this machine, on a layer that is thrown away. To be
# sourced by a script that has $top, and $me, its name; sets $root, $n (tests) and $status.
#
#	debroot_begin "$@"	# a mount namespace of our own; comes back in there, with $work
#	ok "a fresh root" open_root deb12
#	ok "it has a shell" inside test -x /bin/sh
#	close_root

. "$top/scripts/lib/progress.sh"
n=0
status=0

# An overlay of a root, and chroot, need root and a mount namespace
debroot_begin() {	# ARGUMENT-OF-THE-SCRIPT...
	if [ "${VKFD_DEBROOT_INSIDE-}" != "$me" ]; then
		[ "$(id -u)" = 0 ] || { echo "$me: mounting roots needs root" >&2; exit 1; }
		VKFD_DEBROOT_INSIDE=$me exec unshare -m --propagation private "$0" "$@"
	fi
	work=$(mktemp -d "${TMPDIR:-/tmp}/vkfd-$me.XXXXXX")
	trap 'umount -R -l "$work"/*/root "$work"/*/layer 2> /dev/null; rm -rf "$work"' EXIT
}

# Run a command, whose output is shown only if it fails
ok() {		# NAME COMMAND...
	local name=$1 begin=$SECONDS rc=0
	shift
	n=$((n + 1))
	progress_begin "$me: $name"
	"$@" > "$work/out" 2>&1 || rc=$?
	progress_end
	if [ $rc = 0 ]; then
		echo "ok $n - $name ($((SECONDS - begin)) s)"
		return 0
	fi
	echo "not ok $n - $name ($((SECONDS - begin)) s)"
	tail -n 60 "$work/out" | sed 's/^/# /'
	status=1
	return 1
}

prints() {	# REGULAR-EXPRESSION COMMAND...
	local wanted=$1 said
	shift
	said=$("$@" 2>&1) || { echo "$said"; return 1; }
	echo "$said"
	grep -qE "$wanted" <<< "$said"
}

# A regular expression for a text: kernels have names such as 6.12.117+deb13-amd64
literal() {	# TEXT
	sed 's/[.+]/\\&/g' <<< "$1"
}

inside() {
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
		chroot "$root" "$@"
}

# The root below a layer in memory, with what a running system has mounted
open_root() {	# NAME
	local base
	base=$("$top/qemu/root" "$1") || return 1
	root=$work/$1/root
	mkdir -p "$root" "$work/$1/layer"
	mount -t tmpfs -o size=3G tmpfs "$work/$1/layer" || return 1
	mkdir "$work/$1/layer/upper" "$work/$1/layer/work"
	mount -t overlay -o "lowerdir=$base,upperdir=$work/$1/layer/upper,workdir=$work/$1/layer/work" \
		overlay "$root" || return 1
	mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount -t tmpfs tmpfs "$root/tmp"
}

close_root() {
	umount -R -l "$root"
	umount "$(dirname "$root")/layer"
}

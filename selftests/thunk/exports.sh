#!/bin/sh
# SPDX-License-Identifier: MIT
# libhsakmt.so.1 of ours: its soname, its exports against its map and against the installed
# library of the distribution, and whether ROCr resolves all it needs.
ours=$1
map=$2
theirs=/usr/lib/x86_64-linux-gnu/libhsakmt.so.1
rocr=/usr/lib/x86_64-linux-gnu/libhsa-runtime64.so.1
bad=0

exports() {
	nm -D --defined-only "$1" | awk '/hsaKmt/ { print $3 }' | LC_ALL=C sort
}

result() {
	if [ "$2" = 0 ]; then echo "ok $1 $3"; else echo "not ok $1 $3"; bad=1; fi
}

echo "TAP version 13"
readelf -d "$ours" | grep -q 'soname: \[libhsakmt.so.1\]'
result 1 $? "soname"

wanted=$(sed -n 's/^\t\(hsaKmt[A-Za-z_]*\);$/\1@@HSAKMT_1/p' "$map" | LC_ALL=C sort)
[ "$wanted" = "$(exports "$ours")" ]
result 2 $? "every name of the map is exported as HSAKMT_1, and nothing else"

if [ -e "$theirs" ]; then
	a=$(mktemp); b=$(mktemp)
	exports "$theirs" > "$a"
	exports "$ours" > "$b"
	missing=$(LC_ALL=C comm -23 "$a" "$b")
	rm -f "$a" "$b"
	[ -n "$missing" ] && echo "$missing" | sed 's/^/# missing: /'
	[ -z "$missing" ]
	result 3 $? "has all that the distribution's has"
else
	echo "ok 3 has all that the distribution's has # SKIP libhsakmt1 is not installed"
fi

if [ -e "$rocr" ]; then
	undefined=$(LD_LIBRARY_PATH=$(dirname "$ours") LD_BIND_NOW=1 ldd -r "$rocr" 2>&1 |
		grep -E 'undefined symbol|version .* not found')
	[ -n "$undefined" ] && echo "$undefined" | sed 's/^/# /'
	[ -z "$undefined" ]
	result 4 $? "ROCr resolves against it"
else
	echo "ok 4 ROCr resolves against it # SKIP libhsa-runtime64-1 is not installed"
fi
echo "1..4"
exit $bad

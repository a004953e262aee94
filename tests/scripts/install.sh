#!/bin/sh
# What `make install` installs is whole: pages without a warning, completion that
# completes, units that systemd accepts, a library that a program outside of this
# tree is built with, and nothing left after `make uninstall`.
set -eu

build=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

fail() {
	echo "install: $*" >&2
	exit 1
}

has() {
	command -v "$1" >/dev/null
}

# Checks the pages as groff reads them: not a warning.
pages() {
	for page in "$root"/usr/share/man/man*/*; do
		said=$(groff -K utf8 -man -Tutf8 -ww "$page" 2>&1 >/dev/null)
		[ -z "$said" ] || fail "$page: $said"
	done
	for flag in $("$root/usr/bin/hrwd" --help | sed -n 's/^  --\([a-z]*\).*/\1/p'); do
		groff -K utf8 -man -Tascii -P-cbou "$root/usr/share/man/man8/hrwd.8" |
			grep -q -e "--$flag" || fail "hrwd(8) lacks --$flag"
	done
	# What a pool and a node may have in the file; of placements other pages tell.
	fields=$(/usr/bin/python3 -c 'import json, sys
for of in "pool", "node":
    for name, field in json.load(open(sys.argv[1]))["$defs"][of]["properties"].items():
        if not field.get("readOnly"):
            print(name)' conf/hrwd.schema.json)
	for field in $fields; do
		groff -K utf8 -man -Tutf8 -P-cbou "$root/usr/share/man/man5/hrwd.json.5" |
			sed -n '/^POOLS/,$p' | grep -q -w "$field" ||
			fail "hrwd.json(5) lacks $field"
	done
}

completion() {
	file=$root/usr/share/bash-completion/completions/hrwd
	# shellcheck disable=SC2016 # for bash to expand
	got=$(bash -c '. "$1"; COMP_WORDS=(hrwd --ch) COMP_CWORD=1; _hrwd; echo "${COMPREPLY[*]}"' \
		- "$file")
	[ "$got" = --check ] || fail "--ch completes to \"$got\""
	for shell in zsh fish; do
		! has $shell || $shell -n "$root"/usr/share/$shell/*/*hrwd* || fail "$shell"
	done
}

# What the README tells an operator to use is at hand where there is no source tree.
handed_over() {
	grep -o 'conf/[a-z./]*\.[a-z]*' README.md | sort -u | while read -r file; do
		[ -e "$root/usr/share/doc/hrwd/examples/${file##*/}" ] ||
			[ -e "$root/usr/share/hrwd/${file##*/}" ] || fail "$file is not installed"
	done
}

# Whatever starts hrwd for somebody tells glibc what keeps memory flat.
settings() {
	for file in systemd/hrwd.service.in docker/Dockerfile conf/run-example.sh; do
		grep -q 'GLIBC_TUNABLES.*glibc\.malloc\.tcache_count=0' $file ||
			fail "$file sets no GLIBC_TUNABLES"
	done
}

# Exposure: 10 is an open door; 1.5 is the most that the service may have.
units() {
	mkdir "$root/units"
	for unit in "$root"/usr/lib/systemd/system/hrwd*; do
		sed "s|/usr/bin/hrwd|$root&|" "$unit" >"$root/units/$(basename "$unit")"
	done
	said=$(systemd-analyze verify --man=no "$root"/units/hrwd* 2>&1 | grep hrwd || true)
	[ -z "$said" ] || fail "$said"
	systemd-analyze security --offline=true --threshold=15 --no-pager \
		"$root/usr/lib/systemd/system/hrwd.service" >/dev/null ||
		fail "the service is exposed more than 1.5"
}

# The example, built as its head says, knows the home of a photo.
example() {
	export PKG_CONFIG_SYSROOT_DIR="$root" PKG_CONFIG_PATH="$root/usr/lib/pkgconfig"
	source=$root/usr/share/doc/hrwd/examples/lookup.c
	# shellcheck disable=SC2046 # flags
	${CC:-cc} -O2 -Wall -Werror "$source" $(pkg-config --cflags --libs hrw) -o "$root/shared"
	# The system's own libraries are not below the root.
	# shellcheck disable=SC2046
	${CC:-cc} -O2 -Wall -Werror "$source" -I"$root/usr/include" "$root/usr/lib/libhrw.a" \
		$(env -u PKG_CONFIG_SYSROOT_DIR pkg-config --libs \
			"$(pkg-config --print-requires-private hrw | tr '\n' ' ')") -lm -o "$root/static"
	for how in shared static; do
		got=$(printf 'photo-7\nphoto-8' | LD_LIBRARY_PATH="$root/usr/lib" "$root/$how" 2 \
			cache-a cache-b cache-c cache-d 2>/dev/null)
		[ "$got" = "$(printf 'photo-7\tcache-d,cache-a\nphoto-8\tcache-a,cache-c')" ] ||
			fail "$how: $got"
	done
	# shellcheck disable=SC2046
	${CC:-cc} -O2 -Wall -Werror "${source%/*}/follow.c" -I"$root/usr/include" -L"$root/usr/lib" \
		-lhrw $(env -u PKG_CONFIG_SYSROOT_DIR pkg-config --cflags --libs libcurl libcjson) \
		-Wl,--unresolved-symbols=ignore-in-shared-libs -pthread -o "$root/follow"
}

# The header says nothing to a C++ program that wants every warning.
cpp() {
	for std in 11 17 20; do
		printf '#include <hrw.h>\nint main() { return hrw_text("a").len == 1 ? 0 : 1; }\n' |
			g++ -std=c++$std -Wall -Wextra -Wpedantic -Wconversion -Werror -xc++ - \
				-I"$root/usr/include" -o "$root/cpp" || fail "hrw.h is no C++$std"
		"$root/cpp" || fail "hrw.h is another in C++$std"
	done
}

# The ABI: what the libraries offer is what the header declares, and the structures
# that programs hold have the sizes that the ABI's number stands for.
abi() {
	nm -D --defined-only "$root/usr/lib/libhrw.so" |
		sed -n 's/.* [TRDB] \(.*\)@@HRW_0$/\1/p' | sort >"$root/offered"
	nm -g --defined-only "$root/usr/lib/libhrw.a" |
		sed -n 's/.* [TRDB] //p' | sort >"$root/archived"
	[ -s "$root/offered" ] || fail "libhrw.so offers nothing"
	cmp "$root/archived" "$root/offered" || fail "libhrw.a offers something else"
	gcc -aux-info "$root/prototypes" -fsyntax-only "$root/usr/include/hrw.h"
	sed -n 's/^.*hrw\.h:.* extern .*[ *]\(hrw_[a-z0-9_]*\) (.*/\1/p' "$root/prototypes" |
		sort -u >"$root/declared"
	missing=$(comm -23 "$root/declared" "$root/offered")
	[ -z "$missing" ] || fail "core/libhrw.map lacks what the header declares: $missing"
	{
		echo '#include <hrw.h>'
		sed 's/^\(.*\) \(.*\)$/_Static_assert(sizeof(\1) == \2, "\1");/' \
			tests/scripts/libhrw.sizes
		sed 's/.*/const void *const offered_& = (const void *)\&&;/' "$root/offered"
	} >"$root/abi.c"
	gcc -std=c17 -I"$root/usr/include" -c "$root/abi.c" -o "$root/abi.o" ||
		fail "the ABI is another: once released, it needs a new number (systemd/install.mk," \
			"core/libhrw.map); until then, tests/scripts/libhrw.sizes is to follow"
}

# A sanitizer's libraries would have to come first in the example, too.
if [ -n "${SAN:-}" ]; then
	exit 77
fi
make -s BUILD="$build" DESTDIR="$root" PREFIX=/usr install
"$root/usr/bin/hrwd" --check --config "$root/etc/hrwd/hrwd.json"
! has groff || pages
completion
settings
! has systemd-analyze || units
example
! has g++ || cpp
abi
handed_over
make -s BUILD="$build" DESTDIR="$root" PREFIX=/usr uninstall
left=$(find "$root/usr" "$root/etc" ! -type d)
[ -z "$left" ] || fail "uninstall leaves $left"

#!/bin/sh
# Plants every bug of the table, one at a time, into a copy of the tree, and
# demands that the suites named with it fail. Fails when one is not found, does
# not apply or does not build.
#   run.sh [MUTANT…]
set -u
cd "$(dirname "$0")/../.." || exit 1
table=$PWD/tests/mutants/table
plant=$PWD/tests/mutants/plant.awk
seconds=900
copy=$(mktemp -d "${TMPDIR:-/tmp}/hrwd-mutants-XXXXXX") || exit 1
trap 'rm -rf "$copy"' EXIT
trap 'exit 1' INT TERM

git ls-files -z --cached --others --exclude-standard |
	xargs -0 cp --parents -t "$copy" 2>/dev/null
cd "$copy" || exit 1

field() { # MUTANT NAME
	awk -v mutant="$1" -v name="$2" \
		'$1 == "mutant" { mine = $2 == mutant } mine && $1 == name { sub(/^[^ ]+ /, ""); print }' "$table"
}

is_integration() { # SUITE
	grep -qs "^SUITE($1)" tests/integration/*.c
}

build() { # TARGET…: fast to build, and a plant may leave something unused
	make -s -j2 CFLAGS='-O0 -g' WARNINGS=-w "$@" >build.log 2>&1
}

# Runs suites; 0 where all of them pass.
passes() { # SUITE…
	integration=
	for suite; do
		is_integration "$suite" && integration="$integration,$suite"
	done
	HRW_SUITES=$(echo "$*" | tr ' ' ,) timeout $seconds build/tests/unit-tests >run.log 2>&1 ||
		return 1
	if [ -n "$integration" ]; then
		HRWD=$PWD/build/hrwd HRW_SUITES=${integration#,} \
			timeout $seconds build/tests/integration-tests >run.log 2>&1 || return 1
	fi
}

targets() { # SUITE…
	echo build/tests/unit-tests
	for suite; do
		is_integration "$suite" && echo all build/tests/integration-tests && return
	done
}

[ $# -gt 0 ] || set -- $(awk '$1 == "mutant" { print $2 }' "$table")
all=$(for mutant; do field "$mutant" suites; done | tr ' ' '\n' | sort -u)
for suite in $all; do
	grep -qs "^SUITE($suite)" tests/*/*.c || { echo "no suite is called $suite"; exit 1; }
done
# shellcheck disable=SC2046,SC2086 # lists of words, here and below
build $(targets $all) || { cat build.log; exit 1; }
passes $all || { cat run.log; echo "the suites fail without any bug planted"; exit 1; }

seconds=120 # a hang is a failure, too
found=0
missed=0
for mutant; do
	file=$(field "$mutant" file)
	suites=$(field "$mutant" suites)
	if ! awk -v mutant="$mutant" -f "$plant" "$table" >planted; then
		echo "$mutant: DOES NOT APPLY to $file"
		missed=$((missed + 1))
		continue
	fi
	cp "$file" pristine
	cp planted "$file"
	if ! build $(targets $suites); then
		echo "$mutant: DOES NOT BUILD"
		missed=$((missed + 1))
	elif passes $suites; then
		echo "$mutant: NOT FOUND by $suites ($(field "$mutant" breaks))"
		missed=$((missed + 1))
	else
		echo "$mutant: found"
		found=$((found + 1))
	fi
	cp pristine "$file"
done
echo "$found found, $missed missed"
[ "$missed" -eq 0 ]

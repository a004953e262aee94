#!/bin/sh
# run.sh BUILD TEST…: runs test binaries of a build folder (BINARY[:SUITE,SUITE…], of
# each all suites or those named) and scripts, and ends with one line of totals.
set -u
build=$1
shift
passed=0
failed=0
skipped=0

# A script is one test: it says what is wrong, and ends with 77 where it cannot try.
run_script() {
	sh "$1" "$build"
	case $? in
	0) passed=$((passed + 1)) ;;
	77) skipped=$((skipped + 1)) ;;
	*) failed=$((failed + 1)) && echo "$1 failed" ;;
	esac
}

# A binary prints Check's own totals; a crash before that counts as a failure.
run_binary() {
	suites=${1#*:}
	binary=${1%%:*}
	[ "$suites" != "$binary" ] || suites=${HRW_SUITES-}
	log=$build/tests/$binary.log
	(
		unset HRW_SUITES
		[ -z "$suites" ] || export HRW_SUITES="$suites"
		[ "$binary" != integration-tests ] || export HRW_RECORD="$build/tests/record.ndjson"
		HRWD=$build/hrwd exec "$build/tests/$binary"
	) >"$log" 2>&1
	status=$?
	cat "$log"
	for untried in $(sed -n 's/^not tried: \([0-9]*\) tests of .*/\1/p' "$log"); do
		skipped=$((skipped + untried))
	done
	checks=$(sed -n 's/^[0-9]*%: Checks: \([0-9]*\), Failures: \([0-9]*\), Errors: \([0-9]*\).*/\1 \2 \3/p' "$log" | tail -n 1)
	# shellcheck disable=SC2086 # three numbers
	set -- ${checks:-0 0 0}
	bad=$(($2 + $3))
	[ "$status" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
	passed=$((passed + $1 - $2 - $3))
	failed=$((failed + bad))
}

rm -f "$build/tests/record.ndjson"
for test; do
	case $test in
	*.sh) run_script "$test" ;;
	*) run_binary "$test" ;;
	esac
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]

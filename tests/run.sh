#!/bin/sh
# Runs every test binary of a build folder and ends with one line of totals.
set -u
build=$1
passed=0
failed=0

# A binary prints Check's own totals; a crash before that counts as a failure.
for binary in unit-tests integration-tests; do
	log=$build/tests/$binary.log
	HRWD=$build/hrwd "$build/tests/$binary" >"$log" 2>&1
	status=$?
	cat "$log"
	checks=$(sed -n 's/^[0-9]*%: Checks: \([0-9]*\), Failures: \([0-9]*\), Errors: \([0-9]*\).*/\1 \2 \3/p' "$log" | tail -n 1)
	# shellcheck disable=SC2086 # three numbers
	set -- ${checks:-0 0 0}
	bad=$(($2 + $3))
	[ "$status" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
	passed=$((passed + $1 - $2 - $3))
	failed=$((failed + bad))
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]

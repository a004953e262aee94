#!/bin/sh
# Runs every fuzz target of a build folder for so many seconds, a line each.
#   run.sh BUILD SECONDS [TARGET…]
# What breaks a law stays in BUILD/fuzz/TARGET/, with its report; inputs found
# on the way stay in BUILD/fuzz/TARGET/corpus and are the next run's beginning.
set -u
build=$1
seconds=$2
shift 2
failed=0
here=$(dirname "$0")

export ASAN_OPTIONS="quarantine_size_mb=32${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
[ $# -gt 0 ] || set -- $(cd "$here/seeds" && ls)
for target; do
	room=$build/fuzz/$target
	mkdir -p "$room/corpus"
	# A third of a GiB: no parser here needs a tenth of it. Freed memory that the
	# sanitizer keeps aside would count, too: little of it is kept.
	"$build/tests/fuzz/$target" -max_total_time="$seconds" -rss_limit_mb=384 -timeout=10 \
		-max_len=4096 -print_final_stats=1 -artifact_prefix="$room/" \
		"$room/corpus" "$here/seeds/$target" >"$room/report" 2>&1
	status=$?
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$room/report")
	covered=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$room/report" | tail -n 1)
	if [ "$status" -eq 0 ]; then
		echo "$target: ${runs:-0} runs, ${covered:-0} edges, nothing found"
	else
		failed=$((failed + 1))
		echo "$target: FOUND after ${runs:-?} runs, see $room/report:"
		grep -m 3 -E 'does not hold|ERROR|SUMMARY|runtime error' "$room/report" | sed 's/^/    /'
	fi
done
exit "$failed"

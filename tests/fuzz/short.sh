#!/bin/sh
# Every fuzz target for 20 seconds (HRW_FUZZ_SECONDS), one a CPU at a time: what a
# parser should never have let in is mostly found as soon as this.
set -u
cd "$(dirname "$0")/../.." || exit 1

command -v clang >/dev/null || { echo "fuzzers not tried: no clang"; exit 77; }
cpus=$(nproc)
# This is no part of the build that called it.
MAKEFLAGS='' make -s -j"$cpus" fuzz-build >build/fuzz.log 2>&1 || { tail -n 20 build/fuzz.log; exit 1; }

lanes=
for lane in $(seq "$cpus"); do
	mine=$(ls tests/fuzz/seeds | awk -v cpus="$cpus" -v lane="$lane" 'NR % cpus == lane - 1')
	[ -n "$mine" ] || continue
	# shellcheck disable=SC2086 # a list of names
	sh tests/fuzz/run.sh build/fuzz "${HRW_FUZZ_SECONDS:-20}" $mine &
	lanes="$lanes $!"
done
status=0
for lane in $lanes; do
	wait "$lane" || status=1
done
exit "$status"

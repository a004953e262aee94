#!/bin/sh
# run.sh BUILD_DIR [CSV]: one table of what things cost beside their peers, with
# what each row is held to, or the CSV of how they grow.
set -eu

build=${1:?usage: run.sh BUILD_DIR [CSV]}
if [ $# -gt 1 ]; then
	exec "$build/tests/bench/core-bench" "$2"
fi

machine=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
echo "$(date +%F), ${machine:-$(uname -m)}, $(nproc) CPUs"
{
	printf '%-38s %10s %-14s %-34s %s\n' what figure unit beside ratio
	"$build/tests/bench/core-bench"
	"$build/tests/bench/count"
	sh tests/bench/http.sh "$build"
	"$build/tests/bench/placements"
} | awk -f tests/bench/table.awk tests/bench/goals -

#!/bin/sh
# Every bug of tests/mutants/table can still be planted: its text stands in its file once.
set -eu

table=tests/mutants/table
failed=0
for mutant in $(awk '$1 == "mutant" { print $2 }' "$table"); do
	awk -v mutant="$mutant" -f tests/mutants/plant.awk "$table" >/dev/null || {
		echo "$mutant does not apply: bring its text in $table in step with the source"
		failed=1
	}
done
exit "$failed"

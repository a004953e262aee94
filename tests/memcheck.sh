#!/bin/sh
# Runs tests under valgrind: every invalid access, every use of what was never
# written and every leak is a failure.
#   memcheck.sh BUILD UNIT_SUITES INTEGRATION_SUITES   (comma-separated; "": all)
set -u
build=$(cd "$1" && pwd)
unit=$2
integration=$3
room=$build/memcheck
mkdir -p "$room"
check="valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite \
	--show-leak-kinds=definite --suppressions=$PWD/tests/memcheck.supp --fair-sched=yes"
status=0

# Looked at whole: a daemon that ends with 9 fails its test, and says why in its log.
cat >"$room/hrwd" <<END
#!/bin/sh
exec $check --log-file=$room/hrwd.%p.log $build/hrwd "\$@"
END
chmod +x "$room/hrwd"
rm -f "$room"/hrwd.*.log

if [ -n "$unit" ]; then
	HRW_SUITES=$unit; export HRW_SUITES
fi
# shellcheck disable=SC2086 # a command
$check "$build/tests/unit-tests" || status=1
HRWD=$room/hrwd HRW_SUITES=$integration "$build/tests/integration-tests" || status=1
for log in "$room"/hrwd.*.log; do
	[ -s "$log" ] && { echo "$log:"; cat "$log"; status=1; }
done
[ "$status" -eq 0 ] && echo "memcheck: nothing found"
exit "$status"

#!/usr/bin/env bash
# quickstart cleans up after Ctrl-C on a terminal, after TERM, and the next one after a kill -9.
. "$(dirname "$0")/setup.sh"

quickstart="$TOP/quickstart --seconds 60 --build ${LAB_STAGE%/stage}"
out=$(mktemp)

remains() { ip netns list | grep -c "^tsv$1-"; }
gone() { # PID: nothing of that quickstart is left
	[ "$(remains "$1")" = 0 ] && [ -z "$(pgrep -f "timesvc-lab.*/[ab].conf")" ] &&
		[ -z "$(ls -d "${TMPDIR:-/tmp}"/timesvc-lab.* 2>/dev/null)" ]
}
# Waits for a condition, at most 40 s.
until_true() { for _ in $(seq 400); do "$@" && return 0; sleep 0.1; done; return 1; }
measuring() { pgrep -f "timesvc-probe send" >/dev/null; }
ended() { ! kill -0 "$1" 2>/dev/null; }

script -qec "$quickstart" /dev/null </dev/null >"$out" 2>&1 &
terminal=$!
until_true measuring
ok $? "running on a terminal"
sleep 6
pid=$(pgrep -of "bash $TOP/quickstart")
like "$(cat "$out")" "host a .*link0 +TRUSTED" "the live view shows the clock"
kill -INT -- "-$(ps -o pgid= "$pid" | tr -d ' ')"
until_true ended "$pid"
ok $? "Ctrl-C ends it"
wait $terminal
gone "$pid"
ok $? "and nothing is left"

$quickstart >"$out" 2>&1 &
pid=$!
until_true measuring
kill -TERM $pid
wait $pid
gone $pid
ok $? "TERM: nothing is left"

$quickstart >"$out" 2>&1 &
pid=$!
until_true measuring
kill -KILL $pid
wait $pid 2>/dev/null
[ "$(remains $pid)" = 2 ]
ok $? "kill -9 leaves the namespaces"
lab_make
lab_end
gone $pid
ok $? "the next lab sweeps them away"
rm -f "$out"
tap_done

#!/usr/bin/env bash
# ./quickstart as a user runs it: a clean run, a shift past the alarm line, one past the fallback line.
. "$(dirname "$0")/setup.sh"

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
quickstart() { "$TOP/quickstart" --build "${LAB_STAGE%/stage}" --json "$out/o.json" "$@" >"$out/text" 2>&1; }
report() { [ "$1" = 0 ] || sed 's/^/# /' "$out/text"; }

quickstart --seconds 20
status=$?
ok $status "a clean run ends well"
report $status
f=$out/o.json
holds $f '.ends | all(.state == "TRUSTED")' "both ends are TRUSTED"
holds $f '.rtt.count >= 1000' "at least 1,000 round trips"
holds $f '.one_way | all(.trusted.count >= 500)' "at least 500 trusted one-way samples each way"
holds $f '.gate.contradictions == 0' "no contradiction"
holds $f '.shift == null' "no shift was asked for"
holds $f '.stamps | [.near_rx, .near_tx, .far_rx, .far_tx] | all(. == "software")' "software stamps are called software"
holds $f '.one_way | all(.trusted.bound_ns > 0 and .trusted.bound_ns < 100000)' "every one-way figure has its bound"

quickstart --seconds 30 --shift-us 35
ok $? "a run with a shift of 35 us ends"
holds $f '.shift.alarm_after_ms != null and .shift.alarm_after_ms <= 1000' "the alarm is raised within a second"
holds $f '.shift.fallback_after_ms == null' "35 us are no reason to fall back"
holds $f '[.events[].to] | all(. != "LOCAL_RTT")' "nobody ever fell back"
holds $f '[.events[] | select(.end == "b" and .to == "TRUSTED+ALARM") | .reasons[]] | index("offset") != null' \
	"the alarm names the offset"
holds $f '[.events[] | select(.to == "HOLDOVER")] | length >= 2' "the restart was HOLDOVER at both ends"
holds $f '.ends.b.offset_ns | -40000 < . and . < -30000' "the offset is the shift"

quickstart --seconds 30 --shift-us 120
ok $? "a run with a shift of 120 us ends"
holds $f '.ends.b.state == "LOCAL_RTT"' "the follower fell back"
holds $f '.shift.fallback_after_ms != null and .shift.fallback_after_ms <= 1000' "within a second"
holds $f '.shift.admitted_before_shift >= 500' "at least 500 samples were admitted before"
holds $f '.shift.withdrawn >= 1' "samples around it were withdrawn"
holds $f '.shift.admitted_after_shift == 0' "none that was stamped after it was admitted"
holds $f '.rtt.count >= 0.9 * 30 * 1000' "round trips went on without a gap"
holds $f '(.one_way.ab.untrusted.p50_ns - .one_way.ab.trusted.p50_ns) as $ab
	| (.one_way.ba.untrusted.p50_ns - .one_way.ba.trusted.p50_ns) as $ba
	| (($ab + 120000 | fabs) <= 15000) and (($ba - 120000 | fabs) <= 15000)' \
	"the untrusted medians show the ghost of 120 us"
note "$(jq -c '{one_way, shift}' $f)"

for bad in "--seconds 5" "--seconds ten" "--shift-us" "--nonsense"; do
	"$TOP/quickstart" $bad >/dev/null 2>"$out/text"
	is $? 2 "quickstart $bad is refused"
done
rm -rf "$out"
trap - EXIT
tap_done

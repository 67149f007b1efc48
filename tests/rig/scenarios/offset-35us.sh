# about: the grandmaster's time is off by 35 µs at once: past the alarm line, within the bound
# seconds: 60
. "$RIG_DIR/scenario.sh"

# Nothing steers b here, so that the offset stays: its oscillator is as good as that of a.
world_end
host a
host b
rigctl set 2 osc_ppb 0 >/dev/null
phc_ctl "$(phc_of b)" freq 0 >/dev/null
rigctl step 2 $((-$(rigctl offset 1 2 1 0 | cut -d' ' -f2))) >/dev/null
RIG_MODE=observe world
before=$(pids b)
watch b
at=$(rigctl step 1 35000)
sleep 3
timesvc b --json status >$W/status.json
holds $W/status.json '.clocks[0] | .state == "TRUSTED" and .alarm' "an alarm, and no fallback"
holds $W/status.json '.clocks[0].offset_ns | fabs | . > 34900 and . < 35100' "the offset is shown"
rigctl step 1 -35000 >/dev/null
clear() { timesvc b --json status | jq -e '.clocks[0].alarm | not'; }
within 10 clear
ok $? "the alarm ends with the offset"
recovers b 1 "$before"
unwatch
verdict b "$at" offset
rigctl set 2 osc_ppb 25000 >/dev/null
is "$(checks b 0 1e18 'fate == "admitted" && wrong')" 0 "nothing that was admitted was wrong"
scenario_done

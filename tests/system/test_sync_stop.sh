#!/usr/bin/env bash
# Sync stops while Announce goes on, which ptp4l itself never notices: HOLDOVER within a second; back before the
# limit, the waiting samples are admitted; past the limit, LOCAL_RTT and none of them is.
. "$(dirname "$0")/setup.sh"

# Event messages from the grandmaster are Syncs only: UDP port 319. Announce, Follow_Up, Delay_Resp use 320.
stop_sync() { lab_exec b nft 'table inet cut { chain in { type filter hook input priority 0; udp dport 319 drop; }; }'; }
start_sync() { lab_exec b nft delete table inet cut; }
page_ns() { date +%s%N; }
# Samples of slices that lie wholly in FROM..TO with the verdict.
slices() { # FROM TO VERDICT
	jq -s "map(select((.start_ns | tonumber) >= $1 and (.end_ns | tonumber) <= $2 and .verdict == \"$3\") | .count) | add // 0" \
		"$LAB/a.slices.jsonl"
}

lab_trusted
ok $? "both hosts are TRUSTED"
sleep 3

stopped=$(page_ns)
stop_sync
took=$(await b 1000 '.clocks[0].state == "HOLDOVER"')
ok $? "Sync lost: HOLDOVER within a second${took:+ ($took ms)}"
lab_status b >"$LAB/s.json"
holds "$LAB/s.json" '[.clocks[0].reasons[].name] | index("sync_missing") != null' "the reason is sync_missing"
holds "$LAB/s.json" '[.clocks[0].reasons[].name] | index("ptp4l_no_reply") == null' "ptp4l itself answers"
holds "$LAB/s.json" '.clocks[0].port_state == "UNCALIBRATED"' "and has noticed nothing"
sleep 1.5
is "$(slices $((stopped + 500000000)) "$(page_ns)" admitted)" 0 "nothing of the silence is admitted while it lasts"
start_sync
back=$(page_ns)
await b 2000 '.clocks[0].state == "TRUSTED"' >/dev/null
ok $? "Sync back before the limit: TRUSTED"
sleep 1.5
admitted=$(slices $((stopped + 500000000)) "$back" admitted)
[ "$admitted" -gt 500 ]
ok $? "the waiting samples are admitted ($admitted)"
lab_status a >"$LAB/s.json"
holds "$LAB/s.json" '.probes[0].gate.admitted_after_holdover > 500' "and counted as such"

stopped=$(page_ns)
stop_sync
await b 1000 '.clocks[0].state == "HOLDOVER"' >/dev/null
ok $? "Sync lost again: HOLDOVER"
took=$(await b 7000 '.clocks[0].state == "LOCAL_RTT"')
ok $? "at the hold limit: LOCAL_RTT"
[ "${took:-0}" -ge 4000 ]
ok $? "and not before it (after ${took:-?} ms more)"
lab_status b >"$LAB/s.json"
holds "$LAB/s.json" '[.clocks[0].reasons[].name] | index("hold_limit") != null' "the reason is hold_limit"
lab_status a >"$LAB/s.json"
count=$(jq .probes[0].rtt.count "$LAB/s.json")
start_sync
back=$(page_ns)
await b 15000 '.clocks[0].state == "TRUSTED"' >/dev/null
ok $? "Sync back: TRUSTED after the recovery time"
sleep 2
is "$(slices $((stopped + 500000000)) "$back" admitted)" 0 "no sample of the silence was ever admitted"
lab_status a >"$LAB/s.json"
holds "$LAB/s.json" ".probes[0].rtt.count > $count + 5000" "round trips went on"
tap_done

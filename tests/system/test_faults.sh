#!/usr/bin/env bash
# What goes wrong with a ptp4l, and with the daemon itself: out of TRUSTED with the right reason within a
# second, a restart, and trust again.
. "$(dirname "$0")/setup.sh"
LAB_NO_PROBE=1

left_with() { # REASON
	echo ".events | map(select(.clock == \"$LAB_CLOCK\")) | last(.[] | select(.from == \"TRUSTED\" and .to != \"TRUSTED\"))
		| .reasons | index(\"$1\") != null"
}

recovered() { # NAME OLD_PID
	local took
	took=$(await b 15000 '.clocks[0].state == "TRUSTED"')
	ok $? "$1: trusted again${took:+ after $took ms}"
	[ "$(ptp4l_pid b)" != "$2" ]
	ok $? "$1: by another ptp4l"
}

fault() { # NAME REASON COMMAND…
	local name=$1 reason=$2 pid took starts
	shift 2
	pid=$(ptp4l_pid b)
	starts=$(lab_status b | jq '.clocks[0].ptp4l.starts')
	"$@" "$pid"
	took=$(await b 1000 '.clocks[0].state != "TRUSTED"')
	ok $? "$name: out of TRUSTED within a second${took:+ ($took ms)}"
	await b 15000 ".clocks[0].ptp4l.starts > $starts" >/dev/null
	ok $? "$name: ptp4l was started again"
	lab_status b >"$LAB/status.json"
	holds "$LAB/status.json" "$(left_with "$reason")" "$name: because of $reason"
	recovered "$name" "$pid"
}

wedge() { rm -f "$LAB/b/mgmt-$LAB_CLOCK.sock"; }

lab_trusted
ok $? "both hosts are TRUSTED"
fault "kill -9 of ptp4l" ptp4l_down kill -KILL
fault "SIGSTOP of ptp4l" ptp4l_no_reply kill -STOP
fault "wedged management socket" ptp4l_no_reply wedge

lab_check b >"$LAB/check"
is $? 0 "timesvc check: TRUSTED is 0"
pid=$(cat "$LAB/b.pid")
kill -KILL "$pid"
wait "$pid" 2>/dev/null
sleep 0.5
lab_check b >"$LAB/check"
is $? 2 "kill -9 of timesvcd: timesvc check is 2"
like "$(cat "$LAB/check")" STALE "kill -9 of timesvcd: every reader says STALE by itself"
lab_start b
took=$(await b 15000 '.clocks[0].state == "TRUSTED"')
ok $? "the next timesvcd adopts ptp4l and trusts again${took:+ after $took ms}"
lab_check b >/dev/null
is $? 0 "timesvc check: TRUSTED again"
is "$(grep -c 'new foreign master\|started, pid' <(grep ptp4l "$LAB/b.log"))" 0 "ptp4l was not started again"
tap_done

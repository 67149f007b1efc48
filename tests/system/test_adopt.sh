#!/usr/bin/env bash
# Adopt mode: somebody else runs ptp4l; the daemon watches it and never touches it.
. "$(dirname "$0")/setup.sh"
LAB_NO_PROBE=1
lab_make
lab_config a
lab_start a
cat >"$LAB/own.conf" <<-CONF
	[global]
	uds_address $LAB/own.sock
	free_running 1
	time_stamping software
	slaveOnly 1
	logSyncInterval -4
	logAnnounceInterval -2
	logMinDelayReqInterval -3
	tx_timestamp_timeout 50
	[veth-b]
CONF
ip netns exec "$(lab_netns b)" ptp4l -f "$LAB/own.conf" >"$LAB/own.log" 2>&1 &
own=$!
lab_config b
sed -i -e 's/^mode observe/mode adopt/' -e "/^mode/a ptp4l_socket $LAB/own.sock" -e '/^ptp4l\./d' "$LAB/b.conf"
lab_start b
took=$(await b 15000 '.clocks[0].state == "TRUSTED"')
ok $? "a ptp4l that others run is trusted${took:+ (after $took ms)}"
lab_status b >"$LAB/s.json"
holds "$LAB/s.json" '.clocks[0].ptp4l == null' "it is not a child"
holds "$LAB/s.json" '.clocks[0].mode == "adopt"' "the mode is shown"
kill -STOP $own
took=$(await b 1000 '[.clocks[0].reasons[].name] | index("ptp4l_no_reply") != null')
ok $? "its silence is noticed${took:+ ($took ms)}"
sleep 3
kill -0 $own
ok $? "and it is left alone"
kill -CONT $own
await b 15000 '.clocks[0].state == "TRUSTED"' >/dev/null
ok $? "trusted again when it answers"
kill -KILL $own
wait $own 2>/dev/null
await b 1000 '.clocks[0].state == "HOLDOVER"' >/dev/null
ok $? "killed: HOLDOVER"
ip netns exec "$(lab_netns b)" ptp4l -f "$LAB/own.conf" >"$LAB/own.log" 2>&1 &
own=$!
await b 15000 '.clocks[0].state == "TRUSTED"' >/dev/null
ok $? "trusted again when somebody starts another"
lab_stop b
kill -0 $own
ok $? "the daemon's end does not touch it"
tap_done

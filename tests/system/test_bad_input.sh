#!/usr/bin/env bash
# Bad input gets one clear sentence and an exit status of its own.
. "$(dirname "$0")/setup.sh"
LAB_NO_PROBE=1
lab_make
timesvcd=$(lab_program timesvcd) probe=$(lab_program timesvc-probe) conf=$LAB/bad.conf

# The good configuration of host a, with sed commands applied.
spoil() { lab_config a && sed "$@" "$LAB/a.conf" >"$conf"; }

refused() { # STATUS PATTERN NAME COMMAND…
	local status=$1 pattern=$2 name=$3
	shift 3
	timeout 10 ip netns exec "$(lab_netns a)" "$@" >"$LAB/out" 2>"$LAB/err"
	is $? "$status" "$name: exit status $status"
	like "$(cat "$LAB/err")" "$pattern" "$name: says why"
	is "$(grep -vc '^usage:\|^  ' "$LAB/err")" 1 "$name: in one sentence"
}

check() { refused 3 "$1" "$2" "$timesvcd" --check-config -f "$conf"; }

spoil ''
lab_exec a "$timesvcd" --check-config -f "$conf" >/dev/null
is $? 0 "a good configuration passes"
lab_exec a "$timesvcd" -n -f "$conf" >"$LAB/plan"
is $? 0 "-n prints the plan"
like "$(cat "$LAB/plan")" "free_running +1" "with the generated ptp4l.conf"

spoil 's/^mode observe/mod observe/'
check "bad.conf:[0-9]+:1: .*mod" "unknown key"
spoil 's/^mode observe/mode listen/'
check "bad.conf:[0-9]+:[0-9]+: .*mode.*observe" "word that is none of them"
spoil 's/^http_port 9319/http_port 70000/'
check "bad.conf:4:[0-9]+: .*http_port.*65535" "number out of range"
spoil '1i [policy]\nalarm_offset 30'
check "bad.conf:2:[0-9]+: .*alarm_offset.*" "duration without a unit"
spoil '/^\[clock/,$d'
check "clock" "no clock"
spoil 's/^\[clock/[clok/'
check "bad.conf:[0-9]+:[0-9]+: .*clok" "unknown section"
spoil 's/^\[global\]/[global/'
check "bad.conf:1:[0-9]+: " "unclosed bracket"
spoil '/^mode observe/a mode observe'
check "bad.conf:[0-9]+:[0-9]+: .*mode" "key given twice"
printf '[global]\nuser a\0b\n' >"$conf"
check "bad.conf:2:[0-9]+: " "NUL in the text"

refused 3 "nowhere.conf" "missing file" "$timesvcd" --check-config -f "$LAB/nowhere.conf"
refused 2 "unexpected|usage" "wrong argument" "$timesvcd" wrong
spoil 's/^interface veth-a/interface veth-z/'
refused 4 "veth-z" "missing interface" "$timesvcd" --foreground -f "$conf"
spoil 's/^time_stamping software/time_stamping hardware/'
refused 4 "veth-a has no PTP hardware clock" "no hardware clock" "$timesvcd" --foreground -f "$conf"
spoil '2a ptp4l_program /nowhere/ptp4l'
refused 6 "/nowhere/ptp4l" "missing ptp4l" "$timesvcd" --foreground -f "$conf"
spoil 's/^user nobody/user nosuchuser/'
refused 8 "nosuchuser" "missing user" "$timesvcd" --foreground -f "$conf"

lab_config a
lab_start a
await a 15000 '.clocks[0].state == "TRUSTED"' >/dev/null
ok $? "host a is TRUSTED"
refused 7 "run_dir|another timesvcd" "second timesvcd" "$timesvcd" --foreground -f "$LAB/a.conf"
spoil "s|^run_dir .*|run_dir $LAB/other|; /^interface/a ptp4l_socket $LAB/a/ptp4l-$LAB_CLOCK.sock"
refused 7 "ptp4l" "socket of another ptp4l" "$timesvcd" --foreground -f "$conf"

refused 2 "bogus" "probe: wrong argument" "$probe" send --bogus
refused 4 "nic9" "probe: missing port" "$probe" send --port dpdk:nic9 --local-ip 10.77.0.11 --remote-ip 10.77.0.12 \
	--seconds 1 -- --no-huge -m 64 --no-pci
# Without the privilege: as nobody, in a place it can read.
mkdir -m 755 "$LAB/bin" && cp -L "$probe" "$LAB/bin/" && chmod 755 "$LAB/bin/timesvc-probe"
refused 5 "" "probe: missing privilege" setpriv --reuid 65534 --regid 65534 --clear-groups \
	env LD_LIBRARY_PATH="$LAB_STAGE/lib" "$LAB/bin/timesvc-probe" send --port dpdk:net_af_packet0 --local-ip 10.77.0.11 \
	--remote-ip 10.77.0.12 --seconds 1 -- --no-huge -m 64 --no-pci --vdev=net_af_packet0,iface=veth-a

# Management frames that are none: counted, ignored.
before=$(lab_status a | jq .clocks[0].counters.malformed)
for text in '' x "$(head -c 40 /dev/zero | tr '\0' A)"; do
	printf '%s' "$text" | lab_exec a python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.connect(sys.argv[1])
s.send(sys.stdin.buffer.read())' "$LAB/a/mgmt-$LAB_CLOCK.sock" 2>"$LAB/err" || true
done
sleep 0.5
lab_status a >"$LAB/s.json"
holds "$LAB/s.json" '.clocks[0].state == "TRUSTED"' "malformed management frames change no verdict"
note "malformed management frames: $before before, $(jq .clocks[0].counters.malformed "$LAB/s.json") after"
tap_done

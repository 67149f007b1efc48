#!/usr/bin/env bash
# timesvc-probe by itself, without a daemon: its frames against scapy's formats, two of them against each other,
# and what it says when it cannot work.
. "$(dirname "$0")/setup.sh"
lab_make
probe=$(lab_program timesvc-probe)
here=$TOP/tests/system
a=10.77.0.11 b=10.77.0.12

# END's probe: COMMAND FROM TO [OPTION…]
run_probe() {
	local end=$1 command=$2 from=$3 to=$4
	shift 4
	exec ip netns exec "$(lab_netns "$end")" "$probe" "$command" --port dpdk:net_af_packet0 \
		--local-ip "$from" --remote-ip "$to" "$@" -- --no-huge -m 64 --no-pci --vdev=net_af_packet0,iface=veth-"$end"
}

start_reflector() { # [OPTION…]
	run_probe b reflect $b $a --json "$LAB/reflect.json" "$@" >"$LAB/reflect.log" 2>&1 &
	reflector=$!
	sleep 1
}

stop_reflector() {
	kill -TERM $reflector
	wait $reflector
	is $? 0 "$1: SIGTERM ends the reflector in order"
}

# One line of ours for each run of scapy's; what it did not like is shown.
scapy() { # NAME ARGUMENT…
	local name=$1
	shift
	lab_exec a /usr/bin/python3 "$here/stamp_scapy.py" "$1" veth-a $a $b "${@:2}" >"$LAB/scapy.tap" 2>&1
	ok $? "$name" || sed 's/^/# /' "$LAB/scapy.tap"
	note "$(tail -n 1 "$LAB/scapy.tap")"
}

start_reflector
scapy "scapy understands the reflector, and the reflector scapy" reflector
stop_reflector "scapy"
holds "$LAB/reflect.json" '.malformed == 5 and .reflected == 4' "what was malformed is counted"

(sleep 1; run_probe b send $b $a --count 50 --rate 50 --json "$LAB/send.json" >"$LAB/send.log" 2>&1) &
scapy "scapy understands the sender, and the sender a plain reflector" sender 50
wait $!
is $? 0 "the sender ends by itself"
holds "$LAB/send.json" '.rtt.count == 50' "every answer of a plain reflector is a round trip"

for vlan in "" 7; do
	name=${vlan:+VLAN 7}; name=${name:-untagged}
	start_reflector ${vlan:+--vlan $vlan}
	(run_probe a send $a $b --seconds 3 ${vlan:+--vlan $vlan} --json "$LAB/send.json" --slices "$LAB/slices" \
		>"$LAB/send.log" 2>&1)
	is $? 0 "$name: send ends with status 0"
	stop_reflector "$name"
	holds "$LAB/send.json" '.rtt.count == 3000' "$name: 3000 probes, 3000 round trips"
	holds "$LAB/send.json" '.one_way.ab.trusted.count == 0 and .one_way.ab.untrusted.count >= 2999' \
		"$name: without pages no one-way delay is trusted, and none is lost"
	holds "$LAB/send.json" '[.stamps | .near_rx, .near_tx, .far_rx, .far_tx] | all(. == "software")' \
		"$name: software stamps are called so"
done

(run_probe a send $a $b --count 10 >/dev/null 2>"$LAB/err")
is $? 7 "nobody at the other end: status 7"
like "$(cat "$LAB/err")" "$b.*ARP" "and it says so"
(run_probe a send $a $b --rate 0 >/dev/null 2>"$LAB/err")
is $? 2 "a rate out of range: status 2"
like "$(cat "$LAB/err")" "--rate.*1000000" "and it names the range"
lab_exec a "$probe" send --port dpdk:net_af_packet0 --local-ip $a --remote-ip $b -- --no-huge -m 64 --no-pci \
	--vdev=net_af_packet0,iface=veth-z >/dev/null 2>"$LAB/err"
is $? 4 "no such interface: status 4"
like "$(cat "$LAB/err")" "veth-z" "and it names it"
lab_exec a "$probe" send --port dpdk:net_af_packet0 --local-ip $a --remote-ip $b -- --nonsense >"$LAB/out" 2>"$LAB/err"
is $? 2 "arguments that DPDK does not like: status 2"
is "$(cat "$LAB/out" "$LAB/err" | wc -l)" 1 "in one sentence"

# Stopped before the other end was found: that is no failure.
run_probe a send $a $b >"$LAB/send.log" 2>&1 &
sender=$!
sleep 1
kill -INT $sender
wait $sender
is $? 0 "SIGINT ends the sender in order"
tap_done

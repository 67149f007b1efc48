#!/usr/bin/env bash
# timesvc-probe over packet sockets: the kernel's software stamps at both ends or at one, with the host's own
# traffic beside it, over a link that goes down, and what it says when it cannot work.
. "$(dirname "$0")/setup.sh"
lab_make
probe=$(lab_program timesvc-probe)
a=10.77.0.11 b=10.77.0.12

# END's probe: KIND COMMAND FROM TO [OPTION…]
run_probe() {
	local end=$1 kind=$2 command=$3 from=$4 to=$5 port=kernel:veth-$1 eal=()
	shift 5
	if [ "$kind" = dpdk ]; then
		port=dpdk:net_af_packet0
		eal=(-- --no-huge -m 64 --no-pci --vdev=net_af_packet0,iface=veth-"$end")
	fi
	exec ip netns exec "$(lab_netns "$end")" "$probe" "$command" --port "$port" --local-ip "$from" \
		--remote-ip "$to" "$@" "${eal[@]}"
}

start_reflector() { # KIND [OPTION…]
	local kind=$1
	shift
	run_probe b "$kind" reflect $b $a --json "$LAB/reflect.json" "$@" >"$LAB/reflect.log" 2>&1 &
	reflector=$!
	sleep 1
}

stop_reflector() {
	kill -TERM $reflector
	wait $reflector
	is $? 0 "$1: SIGTERM ends the reflector in order"
}

complete() { # NAME COUNT
	holds "$LAB/send.json" ".sent == $2 and .received == $2 and .lost == 0 and .rtt.count == $2" \
		"$1: $2 probes, $2 round trips"
	holds "$LAB/send.json" ".one_way.ab.untrusted.count == $2 and .one_way.ba.untrusted.count == $2" \
		"$1: all four stamps of every probe are there"
	holds "$LAB/send.json" '.stamps | [.near_rx, .near_tx, .far_rx, .far_tx] | all(. == "software")' \
		"$1: software stamps are called so"
}

# The host talks too, to the end; lab_end stops it.
chatter='while sleep 0.005; do echo x >/dev/udp/10.77.0.2/9; done'
(exec ip netns exec "$(lab_netns a)" bash -c "$chatter" 2>/dev/null) &
disown

for vlan in "" 7; do
	name="kernel to kernel${vlan:+, VLAN $vlan}"
	start_reflector kernel ${vlan:+--vlan $vlan}
	(run_probe a kernel send $a $b --seconds 3 ${vlan:+--vlan $vlan} --json "$LAB/send.json" \
		>"$LAB/send.log" 2>"$LAB/err")
	is $? 0 "$name: send ends with status 0"
	stop_reflector "$name"
	complete "$name" 3000
	holds "$LAB/send.json" '.rtt.min_ns > 0 and .rtt.min_ns < 20000' \
		"$name: the wake-ups of the process are not in it"
	holds "$LAB/send.json" '.foreign == 0 and .malformed == 0' \
		"$name: the host's own traffic is not even seen"
	holds "$LAB/reflect.json" '.foreign == 0 and .malformed == 0' "$name: at neither end"
done
is "$(grep -c 'veth-a has no hardware time stamps: all stamps are software$' "$LAB/err")" 1 \
	"it says once that stamps are software"

start_reflector kernel
(run_probe a kernel send $a $b --seconds 2 --carrier l2-ptp --json "$LAB/send.json" >"$LAB/send.log" 2>&1)
stop_reflector "l2-ptp"
complete "l2-ptp" 2000

for pair in "kernel dpdk" "dpdk kernel"; do
	read -r near far <<<"$pair"
	start_reflector "$far"
	(run_probe a "$near" send $a $b --seconds 3 --json "$LAB/send.json" >"$LAB/send.log" 2>&1)
	is $? 0 "$near to $far: send ends with status 0"
	stop_reflector "$near to $far"
	complete "$near to $far" 3000
done

# The link goes down under it: what cannot leave is counted, and afterwards stamps are matched again.
start_reflector kernel
(run_probe a kernel send $a $b --seconds 4 --json "$LAB/send.json" >"$LAB/send.log" 2>&1) &
sender=$!
sleep 1
lab_exec a ip link set veth-a down
sleep 0.5
lab_exec a ip link set veth-a up
wait $sender
is $? 0 "a link that goes down ends nothing"
stop_reflector "a link that goes down"
holds "$LAB/send.json" '.sent + .send_failed == 4000 and .send_failed > 100' "what could not leave is counted"
holds "$LAB/send.json" '.received > 2000 and .received + .lost == .sent' "probes get through again afterwards"
holds "$LAB/send.json" '.rtt.max_ns < 1000000000 and .gate.contradictions == 0' "with stamps of their own"

(run_probe a kernel send $a $b --count 10 >/dev/null 2>"$LAB/err")
is $? 7 "nobody at the other end: status 7"
lab_exec a "$probe" send --port kernel:veth-z --local-ip $a --remote-ip $b >"$LAB/out" 2>"$LAB/err"
is $? 4 "no such interface: status 4"
like "$(cat "$LAB/out" "$LAB/err")" "veth-z" "and it names it"
lab_exec a "$probe" send --port kernel:lo --local-ip $a --remote-ip $b >/dev/null 2>"$LAB/err"
is $? 4 "no Ethernet interface: status 4"
lab_exec a "$probe" send --port kernel:veth-a --local-ip $a --remote-ip $b -- --no-pci >/dev/null 2>"$LAB/err"
is $? 2 "arguments for DPDK: status 2"
lab_exec a setpriv --reuid nobody --clear-groups --inh-caps=-all "$probe" send --port kernel:veth-a \
	--local-ip $a --remote-ip $b >/dev/null 2>"$LAB/err"
is $? 5 "no privilege: status 5"
like "$(cat "$LAB/err")" "CAP_NET_RAW" "and it says which"
lab_exec a ip link set veth-a down
lab_exec a "$probe" send --port kernel:veth-a --local-ip $a --remote-ip $b >/dev/null 2>"$LAB/err"
is $? 4 "an interface that is down: status 4"
like "$(cat "$LAB/err")" "veth-a is down" "and it says so"
tap_done

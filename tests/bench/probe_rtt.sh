#!/usr/bin/env bash
# The most round trips a second that two probes sustain over veth on this machine: one more entry for bench.json.
# A rate is sustained when, for 3 s, no probe is lost and all are sent in the time they should take. Needs root.
set -u
TOP=$(cd "$(dirname "$0")/../.." && pwd)
. "$TOP/tests/lab/lab.sh"
LAB_STAGE=${TIMESVC_STAGE:-$TOP/build/stage}
a=10.77.0.11 b=10.77.0.12 seconds=3

trap lab_end EXIT
lab_make
probe=$(lab_program timesvc-probe) || { echo "no timesvc-probe in $LAB_STAGE" >&2; exit 1; }

run_probe() { # END COMMAND FROM TO [OPTION…]
	local end=$1 command=$2 from=$3 to=$4
	shift 4
	lab_exec "$end" "$probe" "$command" --port dpdk:net_af_packet0 --local-ip "$from" --remote-ip "$to" "$@" -- \
		--no-huge -m 64 --no-pci --vdev=net_af_packet0,iface=veth-"$end" >/dev/null 2>&1
}

run_probe b reflect $b $a &
sleep 1
best=0
for rate in 5000 10000 20000 30000 40000 50000 60000 70000 80000 90000 100000; do
	run_probe a send $a $b --rate $rate --count $((rate * seconds)) --json "$LAB/send.json" || continue
	sustained=$(jq --argjson rate $rate --argjson seconds $seconds \
		'if .lost == 0 and .sent == $rate * $seconds and .seconds < $seconds * 1.05 then $rate else 0 end' "$LAB/send.json")
	[ "$sustained" -le "$best" ] || best=$sustained
done
jq -n --argjson value "$best" '{name: "probe_sw_rtt_per_s", value: $value, unit: "1/s"}'

# about: one-way delays between two DPDK ports with hardware stamps, their oscillators 25 ppm apart
# seconds: 120
#
# a's probe has NIC 4 and b's NIC 5, both given to vfio-pci; each goes by its own host's page, so that the clocks of
# the ports are mapped to it by readings. With the ideal link a receive stamp is the transmit stamp plus a constant,
# by definition: what is found here judges bounds and plumbing, and says nothing of real hardware.
. "$RIG_DIR/scenario.sh"

[ -n "${RIG_PMD:-}" ] || tap_skip_all "there is no DPDK driver with transmit stamps: see tools/build-pmd"
HUGE=/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages

eal() { # NIC
	local pmds
	pmds=$(echo /usr/lib/x86_64-linux-gnu/dpdk/pmds-*)
	echo "-- --no-telemetry --in-memory -d $pmds/librte_bus_pci.so -d $pmds/librte_mempool_ring.so" \
		"-d $RIG_PMD -a $(nic_pci "$1")"
}

reflect() {
	"$RIG_STAGE/sbin/timesvc-probe" reflect --port dpdk:"$(nic_pci 5)" --local-ip 10.9.0.2 \
		--remote-ip 10.9.0.1 --page $W/b/page $(eal 5) >$W/owd-reflect.log 2>&1 &
	reflector=$!
	sleep 2
}

send() { # ARGUMENT…
	"$RIG_STAGE/sbin/timesvc-probe" send --port dpdk:"$(nic_pci 4)" --local-ip 10.9.0.1 \
		--remote-ip 10.9.0.2 --page $W/a/page --json $W/owd.json --slices $W/owd.slices "$@" \
		$(eal 4) >$W/owd.log 2>&1
}

world
modprobe vfio_iommu_type1
echo 256 >$HUGE
nic_bind 4 vfio-pci
nic_bind 5 vfio-pci
reflect
send --rate 1000 --count 12000
ok $? "the probe ran to its end"
kill -TERM $reflector
wait $reflector

delay=$(rigctl get 5 delay_ns)
holds $W/owd.json '.sent >= 10000 and .rtt.count >= 10000' "10,000 probes and more with all four stamps"
holds $W/owd.json '.stamps | [.near_tx, .far_rx, .far_tx, .near_rx] | all(. == "hardware")' \
	"all four are hardware stamps"
holds $W/owd.json '[.one_way[].trusted.count] | all(. >= 10000)' "10,000 and more of them are trusted"
holds $W/owd.json '.gate.contradictions == 0' "none contradicts its bound"
worst=$(jq "[.one_way[].trusted | .min_ns, .max_ns | . - $delay | fabs] | max" $W/owd.json)
least=$(jq -s '[.[] | select(.verdict == "admitted").bound_ns] | min' $W/owd.slices)
median=$(jq -s '[.[] | select(.verdict == "admitted").bound_ns] | sort | .[length / 2 | floor]' $W/owd.slices)
figure one_way_error_max_ns "$worst"
figure one_way_bound_least_ns "$least"
figure one_way_bound_median_ns "$median"
[ "$worst" -le "$least" ]
ok $? "every one-way delay is true within its bound (off by $worst ns at most, bound $least ns at least)"
[ "$median" -le 4000 ]
ok $? "the median bound is at most 4 µs ($median ns)"
spread=$(jq '.rtt | .p99_ns - .min_ns' $W/owd.json)
figure rtt_spread_ns "$spread"
[ "$spread" -le 200 ]
ok $? "round trips are alike: from the least to the 99th percentile $spread ns"
holds $W/owd.json '.sent == .received + .lost' "what was sent came back or was lost"
holds $W/owd.json '.received == .rtt.count + (.stamps.unstamped | add)' "all without a stamp are counted by reason"
holds $W/owd.json '.rtt.count == .gate.admitted + .gate.waiting + (.gate.refused | add)' \
	"and so are all that were refused"
figure unstamped "$(jq '.stamps.unstamped | add' $W/owd.json)"
figure stamped_per_second "$(jq '.rtt.count / .seconds | round' $W/owd.json)"
[ "$tap_failed" = 0 ] || tail -n 40 $W/owd.log $W/owd-reflect.log | sed 's/^/# /'
nic_bind 4 igb
nic_bind 5 igb
echo 0 >$HUGE
scenario_done

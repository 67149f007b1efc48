# about: one-way delays between two ports of the kernel's with hardware stamps, their oscillators 25 ppm apart
# seconds: 90
#
# As owd-dpdk, on the same cable, but the NICs stay the kernel's. With the ideal link a receive stamp is the transmit
# stamp plus a constant, by definition: what is found here judges bounds and plumbing, and says nothing of real
# hardware.
. "$RIG_DIR/scenario.sh"

world
nic_join 4 a 10.78.0.1/24
nic_join 5 b 10.78.0.2/24
within 10 link_up a 4 && within 10 link_up b 5
ok $? "the cable is plugged in"
ip netns exec b "$RIG_STAGE/sbin/timesvc-probe" reflect --port kernel:nic5 --local-ip 10.78.0.12 \
	--remote-ip 10.78.0.11 --page $W/b/page >$W/owd-reflect.log 2>&1 &
reflector=$!
sleep 1
in_host a "$RIG_STAGE/sbin/timesvc-probe" send --port kernel:nic4 --local-ip 10.78.0.11 --remote-ip 10.78.0.12 \
	--page $W/a/page --json $W/owd.json --slices $W/owd.slices --rate 500 --count 4000 >$W/owd.log 2>&1
ok $? "the probe ran to its end"
kill -TERM $reflector
wait $reflector

delay=$(rigctl get 5 delay_ns)
holds $W/owd.json '.stamps | [.near_tx, .far_rx, .far_tx, .near_rx] | all(. == "hardware")' \
	"all four stamps are hardware"
holds $W/owd.json '[.one_way[].trusted.count] | all(. >= 2000)' "2,000 and more samples are trusted"
holds $W/owd.json '.gate.contradictions == 0' "none contradicts its bound"
worst=$(jq "[.one_way[].trusted | .min_ns, .max_ns | . - $delay | fabs] | max" $W/owd.json)
least=$(jq -s '[.[] | select(.verdict == "admitted").bound_ns] | min' $W/owd.slices)
median=$(jq -s '[.[] | select(.verdict == "admitted").bound_ns] | sort | .[length / 2 | floor]' $W/owd.slices)
figure one_way_error_max_ns "$worst"
figure one_way_bound_least_ns "$least"
figure one_way_bound_median_ns "$median"
[ "$worst" -le "$least" ]
ok $? "every one-way delay is true within its bound (off by $worst ns at most, bound $least ns at least)"
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
scenario_done

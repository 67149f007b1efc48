# about: probes on the very ports that ptp4l uses: it never faults, and they say that they have lesser stamps
# seconds: 60
#
# With the ideal link stamps say nothing of real hardware; what counts here is who may touch the NIC.
. "$RIG_DIR/scenario.sh"

# The set-up of time stamps on a port, as the driver has it.
setup_of() { in_host "$1" hwstamp_ctl -i "nic$(nic_of "$1")" 2>&1; }
faults() { grep -cE 'FAULT|timed out while polling for tx timestamp' $W/"$1.log"; }

world
before=$(pids b)
setup_a=$(setup_of a) setup_b=$(setup_of b)
faults_a=$(faults a) faults_b=$(faults b)
like "$setup_b" "tx_type 1" "ptp4l has switched transmit stamps on"
like "$(cat $W/a.log) $(cat $W/b.log)" "port 1: [A-Z_]+ to [A-Z_]+ on " "what becomes of its ports is in the log"
watch b
ip netns exec b "$RIG_STAGE/sbin/timesvc-probe" reflect --port kernel:nic2 --local-ip 10.77.0.12 \
	--remote-ip 10.77.0.11 --page $W/b/page >$W/reflect.log 2>&1 &
reflector=$!
sleep 1
in_host a "$RIG_STAGE/sbin/timesvc-probe" send --port kernel:nic1 --local-ip 10.77.0.11 --remote-ip 10.77.0.12 \
	--page $W/a/page --json $W/beside.json --rate 500 --count 4000 >$W/beside.log 2>&1
ok $? "the probe ran to its end"
kill -TERM $reflector
wait $reflector
unwatch

sent=$W/beside.json
holds $sent '.received >= 3900 and .rtt.count > 0' "round trips are measured"
holds $sent '.stamps | [.near_tx, .far_tx] | all(. == "software")' "frames sent are stamped in software, and it says so"
like "$(cat $W/beside.log)" "ptp4l \(process [0-9]+\) uses nic1: its set-up is left alone" "one sentence says why"
is "$(setup_of a)" "$setup_a" "ptp4l's set-up of a's port is as it was"
is "$(setup_of b)" "$setup_b" "and so is that of b's"
is "$(faults a) $(faults b)" "$faults_a $faults_b" "no ptp4l missed a stamp of its own or went FAULTY"
is "$(jq -r .state $W/b.events | sort -u)" TRUSTED "b was TRUSTED all the time"
is "$(pids b)" "$before" "with the same ptp4l"
figure rtt_p50_ns "$(jq .rtt.p50_ns $sent)"
[ "$tap_failed" = 0 ] || tail -n 40 $W/beside.log $W/reflect.log | sed 's/^/# /'
scenario_done

# about: Sync stops while Announce goes on, which ptp4l does not notice
# seconds: 60
. "$RIG_DIR/scenario.sh"

world
before=$(pids b)
watch b
at=$(rigctl set 2 lost $((1 << 0 | 1 << 8)))
within 5 state_is b LOCAL_RTT
ok $? "LOCAL_RTT at the hold limit"
status_holds b '.clocks[0].port_state == "SLAVE" or .clocks[0].port_state == "UNCALIBRATED"' "ptp4l still sees a master"
healed=$(rigctl set 2 lost 0)
recovers b 20 "$before"
unwatch
verdict b "$at" 'sync_missing|rx_stalled'
judged b "$at" "$healed"
scenario_done

# about: the grandmaster falls silent for good, then comes back
# seconds: 60
. "$RIG_DIR/scenario.sh"

world
before=$(pids b)
watch b
at=$(rigctl set 2 lost $((0x1ffff)))
within 5 state_is b LOCAL_RTT
ok $? "LOCAL_RTT at the hold limit"
healed=$(rigctl set 2 lost 0)
recovers b 20 "$before"
unwatch
verdict b "$at" 'sync_missing|rx_stalled'
judged b "$at" "$healed"
scenario_done

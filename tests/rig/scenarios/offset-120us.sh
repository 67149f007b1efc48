# about: the grandmaster's time is off by 120 µs at once: past the fallback line, and the servo chases it
# seconds: 60
. "$RIG_DIR/scenario.sh"

world
before=$(pids b)
watch b
at=$(rigctl step 1 120000)
within 3 state_is b LOCAL_RTT
ok $? "LOCAL_RTT"
healed=$(rigctl now)
recovers b 30 "$before"
unwatch
verdict b "$at" 'offset|bound|clock_step|clock_rate'
judged b "$at" "$healed"
scenario_done

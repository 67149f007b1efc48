# about: the follower's hardware clock jumps by 5 µs
# seconds: 60
. "$RIG_DIR/scenario.sh"

world
before=$(pids b)
watch b
at=$(rigctl step 2 5000)
sleep 1
healed=$(rigctl now)
recovers b 30 "$before"
unwatch
verdict b "$at" 'clock_step'
judged b "$at" "$healed"
scenario_done

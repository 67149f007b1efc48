# about: another program steps the follower's hardware clock
# seconds: 60
. "$RIG_DIR/scenario.sh"

world
before=$(pids b)
phc=$(phc_of b)
watch b
at=$(rigctl now)
phc_ctl "$phc" adj 0.00002 >/dev/null
sleep 1
healed=$(rigctl now)
recovers b 30 "$before"
unwatch
verdict b "$at" clock_step
judged b "$((at + 100000000))" "$healed"
scenario_done

# about: the cable is unplugged for a second
# seconds: 60
. "$RIG_DIR/scenario.sh"

world
before=$(pids b)
watch b
rigctl set 1 link 0 >/dev/null
at=$(rigctl set 2 link 0)
sleep 1
rigctl set 1 link 1 >/dev/null
healed=$(rigctl set 2 link 1)
recovers b 30 "$before"
unwatch
verdict b "$at" link_down
judged b "$at" "$healed"
scenario_done

# about: the follower's oscillator is 50 ppm faster from one moment to the next
# seconds: 60
. "$RIG_DIR/scenario.sh"

world
before=$(pids b)
watch b
at=$(rigctl set 2 osc_ppb 75000)
sleep 1
healed=$(rigctl now)
recovers b 30 "$before"
unwatch
verdict b "$at" 'clock_rate|clock_step'
is "$(checks b 0 1e18 'fate == "admitted" && wrong')" 0 "nothing that was admitted was wrong"
rigctl set 2 osc_ppb 25000 >/dev/null
sleep 1
within 30 trusted b
ok $? "TRUSTED again when it is back at its old rate"
scenario_done

# about: ptp4l of b is stopped, and is started again by the daemon
# seconds: 60
. "$RIG_DIR/scenario.sh"

world
pid=$(pids b)
watch b
at=$(rigctl now)
kill -STOP "${pid#* }"
within 5 [ ! -e "/proc/${pid#* }" ]
ok $? "a ptp4l that does not answer is ended"
healed=$(rigctl now)
within 30 trusted b
ok $? "TRUSTED again with a new one"
is "$(cat $W/b.pid)" "${pid% *}" "the daemon is the same"
unwatch
verdict b "$at" ptp4l_no_reply
judged b "$at" "$healed"
scenario_done

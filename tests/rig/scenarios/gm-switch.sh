# about: the grandmaster vanishes, and another takes over
# seconds: 90
. "$RIG_DIR/scenario.sh"

world
before=$(pids b)
other_master
ok $? "host c follows, to take over when it must"
watch b
gone="$(cat $W/a.pid) $(timesvc a --json status | jq '.clocks[0].ptp4l.pid')"
at=$(rigctl now)
kill -STOP $gone
switched() { timesvc b --json status | jq -e '.clocks[0].gm_identity == "525400.fffe.000003"'; }
within 20 switched
ok $? "b takes its time from c"
recovers b 30 "$before"
unwatch
verdict b "$at" 'sync_missing'
grep -q gm_changed $W/b.events
ok $? "the change of the grandmaster is named"
is "$(checks b 0 1e18 'fate == "admitted" && wrong')" 0 "nothing that was admitted was wrong"
kill -CONT $gone
kill "$(cat $W/c.pid)"
rm $W/c.pid
scenario_done

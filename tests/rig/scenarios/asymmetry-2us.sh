# about: the way to b takes 2 µs more than the way back, which PTP cannot see
# seconds: 60
. "$RIG_DIR/scenario.sh"

world
watch b
at=$(rigctl set 2 asym_ns 2000)
sleep 6
true_ns=$(rigctl offset 1 2 20 10 | awk '{ sum += $2 } END { printf "%d", sum / NR }')
# While it lasts: when it ends the servo has to find back.
status_holds b '.clocks[0].offset_ns | fabs < 300' "ptp4l sees nothing of it"
end=$(rigctl set 2 asym_ns 0)
figure true_offset_ns "$true_ns"
[ "$true_ns" -lt -900 ] && [ "$true_ns" -gt -1100 ]
ok $? "b is truly behind by 1 µs ($true_ns ns)"
sleep 1
within 30 trusted b
unwatch
[ "$(checks b "$at" "$end" 'state == "TRUSTED"')" -gt 100 ]
ok $? "b is TRUSTED with it"
is "$(checks b 0 1e18 wrong)" 0 "the true error is within the bound all the time"
scenario_done

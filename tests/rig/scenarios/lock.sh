# about: ptp4l locks on hardware stamps: bound below 2 µs, and the true error within it
# seconds: 60
. "$RIG_DIR/scenario.sh"

world
watch b
sleep 5
unwatch
read -r checks worst bound wrong <<<"$(errors b)"
figure true_error_max_ns "$worst"
figure bound_max_ns "$bound"
[ "$checks" -gt 350 ] && [ "$bound" -lt 2000 ]
ok $? "TRUSTED with a bound below 2 µs (at most $bound ns, $checks times)"
is "$wrong" 0 "the true error is always within the bound (at most $worst ns)"
worst=$(rigctl offset 1 2 50 20 | awk '{ o = $2 < 0 ? -$2 : $2; if (o > worst) worst = o } END { print worst + 0 }')
figure phc_offset_max_ns "$worst"
[ "$worst" -lt 200 ]
ok $? "the hardware clocks are truly within 200 ns (at most $worst ns)"
scenario_done

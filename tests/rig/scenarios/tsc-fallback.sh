# about: the counter does not say that it is invariant: the page runs on CLOCK_MONOTONIC_RAW
# seconds: 60
. "$RIG_DIR/scenario.sh"

RIG_TSC=auto world
watch b
sleep 3
unwatch
read -r count worst bound wrong <<<"$(errors b)"
figure true_error_max_ns "$worst"
figure bound_max_ns "$bound"
[ "$count" -gt 200 ]
ok $? "TRUSTED all the time ($count times)"
is "$wrong" 0 "the true error is always within the bound (at most $worst ns of $bound ns)"
scenario_done

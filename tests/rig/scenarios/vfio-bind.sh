# about: the follower's NIC is taken from the kernel, and its hardware clock with it
# seconds: 90
. "$RIG_DIR/scenario.sh"

world
daemon=$(cat $W/b.pid)
watch b
at=$(rigctl now)
nic_bind 2 vfio-pci
within 10 state_is b LOCAL_RTT
ok $? "LOCAL_RTT at the hold limit"
healed=$(rigctl now)
nic_join 2 b 10.77.0.2/24
within 40 trusted b
ok $? "TRUSTED again when the kernel has it back"
is "$(cat $W/b.pid)" "$daemon" "the daemon is the same"
unwatch
verdict b "$at" 'clock_read|link_down|ptp4l_down|sync_missing'
judged b "$at" "$healed"
scenario_done

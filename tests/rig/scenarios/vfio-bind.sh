# about: the follower's NIC is taken from the kernel, and its hardware clock with it
# seconds: 90
. "$RIG_DIR/scenario.sh"

world
pci=$(nic_pci 2)
bind() { # DRIVER
	echo "$1" >"/sys/bus/pci/devices/$pci/driver_override"
	[ ! -e "/sys/bus/pci/devices/$pci/driver" ] || echo "$pci" >"/sys/bus/pci/devices/$pci/driver/unbind"
	echo "$pci" >/sys/bus/pci/drivers_probe
}
modprobe vfio-pci
daemon=$(cat $W/b.pid)
watch b
at=$(rigctl now)
bind vfio-pci
within 10 state_is b LOCAL_RTT
ok $? "LOCAL_RTT at the hold limit"
healed=$(rigctl now)
bind igb
ip link set "$(basename "/sys/bus/pci/devices/$pci"/net/*)" netns b name nic2
ip -n b addr add 10.77.0.2/24 dev nic2
ip -n b link set nic2 up
within 40 trusted b
ok $? "TRUSTED again when the kernel has it back"
is "$(cat $W/b.pid)" "$daemon" "the daemon is the same"
unwatch
verdict b "$at" 'clock_read|link_down|ptp4l_down|sync_missing'
judged b "$at" "$healed"
scenario_done

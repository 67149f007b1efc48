# What every scenario starts with. Runs in the guest (bash).
#
#   world [CONF…]     two hosts: a, the reference, on NIC 1; b, the follower, on NIC 2. Starts what does not run.
#   in_host END …     a command in END's namespace
#   rigctl …          the rig's knobs and the truth: guest/rigctl.c
# and TAP: ok is like holds note tap_done of tests/lab/tap.sh, figure below.

. "$RIG_TOP/tests/lab/tap.sh"
W=/run/rig
mkdir -p $W

# A number that goes into the result of the run.
figure() { echo "# figure $1 $2 $3"; }

# NIC n is the one device on bus n.
nic_pci() { printf '0000:%02x:00.0' "$1"; }

in_host() { local end=$1; shift; ip netns exec "$end" "$@"; }

# A host: a namespace with a NIC in it, called nicN there. The link needs a while to come up.
host() { # END NIC ADDRESS
	[ -e "/run/netns/$1" ] && return
	[ -d /sys/module/igb ] || modprobe igb
	local name
	name=$(basename "/sys/bus/pci/devices/$(nic_pci "$2")"/net/*)
	ip netns add "$1"
	ip link set "$name" netns "$1" name "nic$2"
	ip -n "$1" link set lo up
	ip -n "$1" addr add "$3/24" dev "nic$2"
	ip -n "$1" link set "nic$2" up
}

link_up() { ip -n "$1" link show dev "nic$2" | grep -q LOWER_UP; }

# Waits for a command to succeed, at most SECONDS.
within() { # SECONDS COMMAND…
	local deadline=$((SECONDS + $1 + 1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $deadline ] || return 1
		sleep 0.1
	done
}

# The rig runs on installed programs, as root: by runtests, not by make check.
EXTRA_DIST += tests/rig/rig tests/rig/parts.sh tests/rig/build.sh tests/rig/guest.sh tests/rig/run.sh \
	tests/rig/scenario.sh tests/rig/topology.awk tests/rig/topology.conf tests/rig/device.h \
	tests/rig/shim/patch.c tests/rig/shim/patch.h tests/rig/shim/nic.c tests/rig/shim/nic.h tests/rig/shim/shim.c \
	tests/rig/guest/init tests/rig/guest/main tests/rig/guest/rigctl.c tests/rig/guest/rigwatch.c \
	tests/rig/guest/truth.c tests/rig/guest/truth.h \
	tests/rig/scenarios/asymmetry-2us.sh tests/rig/scenarios/gm-loss.sh \
	tests/rig/scenarios/gm-switch.sh tests/rig/scenarios/link-flap.sh tests/rig/scenarios/lock.sh \
	tests/rig/scenarios/offset-120us.sh tests/rig/scenarios/offset-35us.sh \
	tests/rig/scenarios/phc-rate-50ppm.sh tests/rig/scenarios/phc-step-5us.sh \
	tests/rig/scenarios/owd-dpdk.sh tests/rig/scenarios/owd-kernel.sh \
	tests/rig/scenarios/probe-beside-ptp4l.sh \
	tests/rig/scenarios/ptp4l-hang.sh tests/rig/scenarios/second-controller.sh \
	tests/rig/scenarios/sync-stop.sh tests/rig/scenarios/tsc-fallback.sh \
	tests/rig/scenarios/vfio-bind.sh

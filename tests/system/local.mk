# System tests run on installed programs, as root: by runtests, not by make check.
EXTRA_DIST += tests/lab/lab.sh tests/lab/packages.sh tests/lab/result.jq tests/lab/tap.sh tests/lab/verdict.jq \
	tests/system/setup.sh tests/system/test_adopt.sh tests/system/test_bad_input.sh tests/system/test_cleanup.sh \
	tests/system/test_faults.sh tests/system/test_quickstart.sh tests/system/test_probe.sh tests/system/test_probe_kernel.sh \
	tests/system/test_sync_stop.sh tests/system/stamp_scapy.py

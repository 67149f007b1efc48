# about: ptp4l locks on hardware time stamps, and the truth agrees
# seconds: 60
. "$RIG_DIR/scenario.sh"

host a 1 10.77.0.1
host b 2 10.77.0.2
within 10 link_up a 1 && within 10 link_up b 2
ok $? "the link is up"
cat >$W/ptp4l.conf <<-END
	[global]
	tx_timestamp_timeout 100
	logAnnounceInterval -2
	logSyncInterval -4
	logMinDelayReqInterval -3
	summary_interval 0
END
in_host a ptp4l -4 -H -f $W/ptp4l.conf -i nic1 -m --uds_address $W/a.sock >$W/a.log 2>&1 &
in_host b ptp4l -4 -H -f $W/ptp4l.conf -i nic2 -m --uds_address $W/b.sock -s >$W/b.log 2>&1 &
locked() { tail -n 1 $W/b.log | grep -qE ' rms +[0-9]{1,2} '; }
within 30 locked
ok $? "ptp4l reports an offset below 100 ns"
rigctl offset 1 2 50 20 >$W/offsets
worst=$(awk '{ o = $2 < 0 ? -$2 : $2; if (o > worst) worst = o } END { print worst + 0 }' $W/offsets)
figure true_offset_ns "$worst" ns
[ "$(wc -l <$W/offsets)" = 50 ] && [ "$worst" -lt 200 ]
ok $? "the clocks are truly within 200 ns (at most $worst ns)"
tail -n 3 $W/b.log | sed 's/^/# /'
kill %1 %2
tap_done

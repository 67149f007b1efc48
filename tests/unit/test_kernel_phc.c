#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <linux/ptp_clock.h>
#include <cmocka.h>

#include "nstime.h"
#include "probe/kernel_phc.h"

/* A device that is CLOCK_REALTIME, 7 s ahead, read by a driver that can do what it is told to. */
#define FD	99
#define AHEAD	(7 * NS_PER_S)

static int precise_errno, extended_errno, plain_fails;
static int precise_asked, extended_asked, plain_asked;
static int64_t stale_ns;	/* how old what the kernel says is */

static uint64_t ticks(void)
{
	return (uint64_t)nstime_now(CLOCK_MONOTONIC_RAW);
}

static struct ptp_clock_time now(int64_t ahead_ns)
{
	int64_t ns = nstime_now(CLOCK_REALTIME) - stale_ns + ahead_ns;

	return (struct ptp_clock_time){ .sec = ns / NS_PER_S, .nsec = (uint32_t)(ns % NS_PER_S) };
}

static int precise(struct ptp_sys_offset_precise *o)
{
	precise_asked++;
	o->sys_realtime = now(0);
	o->device = o->sys_realtime;
	o->device.sec += AHEAD / NS_PER_S;
	errno = precise_errno;
	return errno ? -1 : 0;
}

static int extended(struct ptp_sys_offset_extended *o)
{
	extended_asked++;
	assert_in_range(o->n_samples, 1, PTP_MAX_SAMPLES);
	for (unsigned i = 0; i < o->n_samples; i++) {
		o->ts[i][0] = now(0);
		o->ts[i][1] = now(AHEAD);
		o->ts[i][2] = now(0);
	}
	errno = extended_errno;
	return errno ? -1 : 0;
}

static int fake_ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *data;

	va_start(args, request);
	data = va_arg(args, void *);
	va_end(args);
	assert_int_equal(fd, FD);
	return request == PTP_SYS_OFFSET_PRECISE ? precise(data) : extended(data);
}

static int fake_gettime(clockid_t id, struct timespec *ts)
{
	plain_asked++;
	assert_int_equal(id, (clockid_t)((~(unsigned)FD << 3) | 3));
	*ts = nstime_to_timespec(nstime_now(CLOCK_REALTIME) + AHEAD);
	return plain_fails ? -1 : 0;
}

static struct kernel_phc start(struct kernel_time *t, int precise_err, int extended_err)
{
	struct timespec ts = nstime_to_timespec(5 * NS_PER_MS);
	struct kernel_pair p;

	precise_errno = precise_err;
	extended_errno = extended_err;
	plain_fails = precise_asked = extended_asked = plain_asked = 0;
	stale_ns = 0;
	kernel_time_init(t);
	kernel_phc_pair(ticks, 4, &p);
	kernel_time_note(t, &p);
	nanosleep(&ts, NULL);
	kernel_phc_pair(ticks, 4, &p);
	kernel_time_note(t, &p);
	return (struct kernel_phc){ .fd = FD, .ioctl = fake_ioctl, .gettime = fake_gettime };
}

/* What was read is true to within its half width. */
static void check(struct kernel_phc *p, struct kernel_time *t)
{
	struct port_clock_reading r = { 0 };
	struct kernel_pair now_pair;
	int64_t wrong_ns;

	assert_int_equal(kernel_phc_read(p, ticks, t, &r), 0);
	kernel_phc_pair(ticks, 8, &now_pair);
	wrong_ns = (now_pair.real_ns + AHEAD - r.nic_ns) - (int64_t)(now_pair.tick - r.tick);
	assert_true(r.half_ticks > 0);
	assert_true(nstime_abs(wrong_ns) <= (int64_t)(r.half_ticks + now_pair.half_ticks) + 1000);
}

static void test_rungs(void **state)
{
	struct kernel_time t;
	struct kernel_phc p = start(&t, 0, 0);

	(void)state;
	check(&p, &t);
	assert_int_equal(p.rung, PHC_PRECISE);
	p = start(&t, EOPNOTSUPP, 0);
	check(&p, &t);
	check(&p, &t);
	assert_int_equal(p.rung, PHC_EXTENDED);
	assert_int_equal(precise_asked, 1);
	assert_int_equal(extended_asked, 2);
	assert_int_equal(plain_asked, 0);
	p = start(&t, EOPNOTSUPP, ENOTTY);
	check(&p, &t);
	check(&p, &t);
	assert_int_equal(p.rung, PHC_PLAIN);
	assert_int_equal(precise_asked, 1);
	assert_int_equal(extended_asked, 1);
	assert_int_equal(plain_asked, 2);
}

/* A failure that passes does not cost the rung. */
static void test_passing(void **state)
{
	struct kernel_time t;
	struct kernel_phc p = start(&t, EBUSY, 0);

	(void)state;
	check(&p, &t);
	assert_int_equal(p.rung, PHC_PRECISE);
	assert_int_equal(plain_asked, 1);
	precise_errno = 0;
	check(&p, &t);
	assert_int_equal(plain_asked, 1);
	p = start(&t, EOPNOTSUPP, 0);
	stale_ns = 5 * NS_PER_S;	/* the kernel's times cannot be converted */
	check(&p, &t);
	assert_int_equal(p.rung, PHC_EXTENDED);
	assert_int_equal(plain_asked, 1);
}

static void test_fails(void **state)
{
	struct port_clock_reading r;
	struct kernel_time t;
	struct kernel_phc p = start(&t, EOPNOTSUPP, EOPNOTSUPP);
	struct err e;

	(void)state;
	plain_fails = 1;
	assert_int_equal(kernel_phc_read(&p, ticks, &t, &r), -EIO);
	p.fd = -1;
	assert_int_equal(kernel_phc_read(&p, ticks, &t, &r), -ENOTSUP);
	assert_int_equal(kernel_phc_open(&p, 987, &e), -ENODEV);
	assert_non_null(strstr(e.msg, "/dev/ptp987"));
	assert_int_equal(kernel_phc_read(&p, ticks, &t, &r), -ENOTSUP);
	kernel_phc_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rungs),
		cmocka_unit_test(test_passing),
		cmocka_unit_test(test_fails),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

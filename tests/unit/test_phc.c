#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "nstime.h"
#include "rng.h"
#include "timesvc/sources/phc.h"

#define S	NS_PER_S
#define US	NS_PER_US
#define TICKS_PER_NS 3
#define T0	(INT64_C(1700000000) * S)

/* A host: a counter, a system clock and a NIC, on one true time. Everything that is done takes time. */
static struct {
	struct rng rng;
	int64_t now;			/* true time, ns */
	int64_t phc_offset, raw_offset, real_offset;
	int64_t phc_ppm;
	int precise, extended, gettime;	/* what these answer: 0 or -errno */
	int no_raw, extended_asked;
	int64_t register_ns, syscall_ns;	/* how long the register is read, and the way there */
	int64_t system_jump;		/* the system clock jumps by that in the middle of the next reading */
	int cut;			/* the system clock goes backwards in one of the batch */
} sim;

static void begin(void)
{
	memset(&sim, 0, sizeof(sim));
	sim.rng.state = 7;
	sim.now = 1000 * S;
	sim.phc_offset = T0;
	sim.raw_offset = 5 * S;
	sim.real_offset = T0 / 2;
	sim.precise = -EOPNOTSUPP;
	sim.register_ns = 800;
	sim.syscall_ns = 300;
}

static int64_t pass(int64_t ns)
{
	return sim.now += ns;
}

static int64_t phc_at(int64_t now)
{
	return now + sim.phc_offset + (now - 1000 * S) * sim.phc_ppm / 1000000;
}

static int64_t system_now(clockid_t clock)
{
	return sim.now + (clock == CLOCK_MONOTONIC_RAW ? sim.raw_offset : sim.real_offset);
}

static clockid_t sim_clock(void *arg, enum phc_way way)
{
	(void)arg;
	return way == PHC_EXTENDED && sim.no_raw ? CLOCK_REALTIME : CLOCK_MONOTONIC_RAW;
}

/* The register is latched anywhere inside its reading. */
static int64_t read_register(void)
{
	int64_t before = rng_next(&sim.rng) % (uint64_t)(sim.register_ns + 1), phc;

	phc = phc_at(pass(before));
	pass(sim.register_ns - before);
	return phc;
}

static int sim_cross(void *arg, enum phc_way way, struct phc_cross *x)
{
	clockid_t clock = sim_clock(arg, way);

	pass(sim.syscall_ns);
	if (way == PHC_PRECISE) {
		x[0].phc_ns = phc_at(sim.now);
		x[0].before_ns = x[0].after_ns = system_now(clock);
		return sim.precise ? sim.precise : 1;
	}
	sim.extended_asked++;
	if (sim.extended)
		return sim.extended;
	for (int i = 0; i < PHC_BATCH; i++) {
		x[i].before_ns = system_now(clock);
		x[i].phc_ns = read_register();
		x[i].after_ns = system_now(clock);
		pass(20);
	}
	if (sim.cut)
		x[2].after_ns = x[2].before_ns - 5;
	sim.raw_offset += sim.system_jump;
	sim.system_jump = 0;
	return PHC_BATCH;
}

static int sim_gettime(void *arg, int64_t *ns)
{
	(void)arg;
	pass(sim.syscall_ns);
	*ns = read_register();
	pass(sim.syscall_ns);
	return sim.gettime;
}

static int sim_system(void *arg, clockid_t clock, struct clock_reading *out)
{
	(void)arg;
	*out = (struct clock_reading){ .half_width_ns = 26, .time_ns = system_now(clock) };
	out->tick = (uint64_t)(sim.now * TICKS_PER_NS);
	pass(50);
	return 0;
}

static uint64_t sim_ticks(void *arg)
{
	(void)arg;
	return (uint64_t)(pass(5) * TICKS_PER_NS);
}

static const struct phc_ops sim_ops = { sim_clock, sim_cross, sim_gettime, sim_system, sim_ticks };

static struct phc phc;
static struct clock_reading r;

static void open_phc(void)
{
	phc_init(&phc, &sim_ops, NULL, 1.0 / TICKS_PER_NS);
}

/* The reading is true: at its tick the clock showed that time, within its half width. */
static void expect_true(void)
{
	int64_t at = (int64_t)(r.tick / TICKS_PER_NS);

	assert_true(nstime_abs(phc_at(at) - r.time_ns) <= r.half_width_ns);
	assert_true(at > sim.now - 100 * US && at <= sim.now);
}

static void a_register_is_read_extended(void **state)
{
	(void)state;
	begin();
	open_phc();
	assert_int_equal(phc_read(&phc, &r), 0);
	assert_int_equal(phc.way, PHC_EXTENDED);
	expect_true();
	/* Half of 800, the system clock's 26, and 1 of resolution. */
	assert_int_equal(r.half_width_ns, 427);
	assert_int_equal(phc.half_width_ns, 427);
	assert_string_equal(phc_way_name(phc.way), "extended");
}

static void two_latches_are_best(void **state)
{
	(void)state;
	begin();
	sim.precise = 0;
	open_phc();
	assert_int_equal(phc_read(&phc, &r), 0);
	assert_int_equal(phc.way, PHC_PRECISE);
	expect_true();
	assert_int_equal(r.half_width_ns, 127);
}

static void what_is_narrower_in_practice_is_taken(void **state)
{
	(void)state;
	begin();
	/* A firmware that answers in its own time makes the kernel's bracket no better than ours. */
	sim.extended = -EOPNOTSUPP;
	open_phc();
	assert_int_equal(phc_read(&phc, &r), 0);
	assert_int_equal(phc.way, PHC_BASIC);
	expect_true();
	/* Half of 800 + 2 * 300 + 5 of the counter, rounded up. */
	assert_in_range(r.half_width_ns, 703, 706);
	assert_int_equal(phc.lacks, 1 << PHC_PRECISE | 1 << PHC_EXTENDED);
}

static void refusals_are_remembered(void **state)
{
	(void)state;
	begin();
	sim.extended = -ENOTTY;
	open_phc();
	for (int i = 0; i < 10; i++)
		assert_int_equal(phc_read(&phc, &r), 0);
	assert_int_equal(sim.extended_asked, 1);
}

/* Up to Linux 6.11: CLOCK_REALTIME only. */
static int old_kernel_cross(void *arg, enum phc_way way, struct phc_cross *x)
{
	if (way == PHC_EXTENDED && !sim.no_raw) {
		sim.no_raw = 1;
		return -EAGAIN;
	}
	return sim_cross(arg, way, x);
}

static void an_old_kernel_compares_with_realtime(void **state)
{
	struct phc_ops old = sim_ops;

	(void)state;
	begin();
	old.cross = old_kernel_cross;
	phc_init(&phc, &old, NULL, 1.0 / TICKS_PER_NS);
	assert_int_equal(phc_read(&phc, &r), 0);
	assert_int_equal(phc.way, PHC_EXTENDED);
	assert_int_equal(sim.no_raw, 1);
	expect_true();
	assert_int_equal(phc.lacks, 1 << PHC_PRECISE);
}

static void a_jump_of_the_system_clock_is_no_reading(void **state)
{
	static const int64_t jumps[] = { 5 * US, -5 * US, 37 * S, -37 * S };

	(void)state;
	for (size_t i = 0; i < sizeof(jumps) / sizeof(jumps[0]); i++) {
		begin();
		open_phc();
		assert_int_equal(phc_read(&phc, &r), 0);
		sim.system_jump = jumps[i];
		/* The second try finds it still. */
		assert_int_equal(phc_read(&phc, &r), 0);
		assert_int_equal(sim.system_jump, 0);
		expect_true();
		assert_int_equal(r.half_width_ns, 427);
	}
}

static void brackets_that_run_backwards_are_passed_over(void **state)
{
	(void)state;
	begin();
	sim.cut = 1;
	open_phc();
	assert_int_equal(phc_read(&phc, &r), 0);
	expect_true();
	assert_int_equal(r.half_width_ns, 427);
}

static void a_clock_that_is_gone(void **state)
{
	(void)state;
	begin();
	open_phc();
	assert_int_equal(phc_read(&phc, &r), 0);
	sim.precise = sim.extended = sim.gettime = -ENODEV;
	assert_int_equal(phc_read(&phc, &r), -ENODEV);
	assert_int_equal(phc.lacks, 1 << PHC_PRECISE);
	/* Gone before it was ever read. */
	open_phc();
	assert_int_equal(phc_read(&phc, &r), -ENODEV);
	assert_int_equal(phc.chosen, 0);
}

static void a_passing_error_changes_nothing(void **state)
{
	(void)state;
	begin();
	open_phc();
	assert_int_equal(phc_read(&phc, &r), 0);
	sim.extended = -EIO;
	assert_int_equal(phc_read(&phc, &r), -EIO);
	sim.extended = 0;
	assert_int_equal(phc_read(&phc, &r), 0);
	assert_int_equal(phc.way, PHC_EXTENDED);
	expect_true();
}

/* A way that stops working gives way to the next. */
static void the_ladder_goes_down(void **state)
{
	(void)state;
	begin();
	sim.precise = 0;
	open_phc();
	assert_int_equal(phc_read(&phc, &r), 0);
	sim.precise = -EOPNOTSUPP;
	assert_int_equal(phc_read(&phc, &r), 0);
	assert_int_equal(phc.way, PHC_EXTENDED);
	sim.extended = -EOPNOTSUPP;
	assert_int_equal(phc_read(&phc, &r), 0);
	assert_int_equal(phc.way, PHC_BASIC);
	expect_true();
	sim.gettime = -EINVAL;
	assert_int_equal(phc_read(&phc, &r), -EOPNOTSUPP);
}

static void always_true_within_its_width(void **state)
{
	struct rng rng = { .state = 20240301 };

	(void)state;
	print_message("# seed %llu\n", (unsigned long long)rng.state);
	for (int i = 0; i < 2000; i++) {
		begin();
		sim.rng.state = rng_next(&rng);
		sim.precise = rng_next(&rng) % 4 ? -EOPNOTSUPP : 0;
		sim.extended = rng_next(&rng) % 4 ? 0 : -EOPNOTSUPP;
		sim.register_ns = (int64_t)(rng_next(&rng) % 5000);
		sim.syscall_ns = (int64_t)(rng_next(&rng) % 3000);
		sim.phc_ppm = (int64_t)(rng_next(&rng) % 200) - 100;
		open_phc();
		for (int n = 0; n < 5; n++) {
			assert_int_equal(phc_read(&phc, &r), 0);
			expect_true();
			pass(50 * NS_PER_MS);
		}
	}
}

/* What is no clock says so, whatever is asked. */
static void the_device_itself(void **state)
{
	struct phc_device d = { .fd = open("/dev/null", O_RDONLY), .tsc_hz = 0 };

	(void)state;
	assert_true(d.fd >= 0);
	phc_init(&phc, &phc_device_ops, &d, 1);
	assert_true(phc_read(&phc, &r) < 0);
	assert_int_equal(phc.chosen, 0);
	assert_int_equal(phc_device_ops.clock(&d, PHC_EXTENDED), CLOCK_MONOTONIC_RAW);
	d.no_raw = 1;
	assert_int_equal(phc_device_ops.clock(&d, PHC_EXTENDED), CLOCK_REALTIME);
	assert_int_equal(phc_device_ops.clock(&d, PHC_PRECISE), CLOCK_MONOTONIC_RAW);
	assert_int_equal(phc_device_ops.system(&d, CLOCK_MONOTONIC_RAW, &r), 0);
	/* Counter and clock are the same here. */
	assert_true(nstime_abs((int64_t)r.tick - r.time_ns) <= r.half_width_ns);
	assert_true(phc_device_ops.ticks(&d) >= r.tick);
	close(d.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_register_is_read_extended),
		cmocka_unit_test(two_latches_are_best),
		cmocka_unit_test(what_is_narrower_in_practice_is_taken),
		cmocka_unit_test(refusals_are_remembered),
		cmocka_unit_test(an_old_kernel_compares_with_realtime),
		cmocka_unit_test(a_jump_of_the_system_clock_is_no_reading),
		cmocka_unit_test(brackets_that_run_backwards_are_passed_over),
		cmocka_unit_test(a_clock_that_is_gone),
		cmocka_unit_test(a_passing_error_changes_nothing),
		cmocka_unit_test(the_ladder_goes_down),
		cmocka_unit_test(always_true_within_its_width),
		cmocka_unit_test(the_device_itself),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("phc", tests, NULL, NULL);
}

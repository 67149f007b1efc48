#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "probe/port_sim.h"
#include "tsc.h"

static struct sim *world(struct sim_config config)
{
	struct sim *sim = sim_new(&config);

	assert_non_null(sim);
	return sim;
}

static void send_byte(struct sim *sim, int end, uint8_t byte)
{
	struct port *port = sim_port(sim, end);
	struct port_sent sent = { 0 };

	assert_int_equal(port->ops->transmit(port, &byte, 1, 0, NULL, NULL, &sent), 0);
	assert_int_equal(sent.tick, sim_now(sim));
}

/* What has arrived, as text. */
static int take(struct sim *sim, int end, char *out)
{
	struct port *port = sim_port(sim, end);
	struct port_frame frames[PORT_BURST];
	int n = port->ops->receive(port, frames, PORT_BURST);

	for (int i = 0; i < n; i++)
		out[i] = (char)frames[i].data[0];
	out[n] = '\0';
	return n;
}

static void test_delay(void **state)
{
	struct sim *sim = world((struct sim_config){ .delay_ns = { 100, 7 } });
	char got[PORT_BURST + 1];

	(void)state;
	send_byte(sim, 0, 'a');
	send_byte(sim, 1, 'b');
	sim_advance(sim, 7);
	assert_int_equal(take(sim, 1, got), 0);
	assert_int_equal(take(sim, 0, got), 1);
	assert_string_equal(got, "b");
	sim_advance(sim, 92);
	assert_int_equal(take(sim, 1, got), 0);
	sim_advance(sim, 1);
	assert_int_equal(take(sim, 1, got), 1);
	assert_int_equal(take(sim, 1, got), 0);
	sim_free(sim);
}

static void test_order_of_equals(void **state)
{
	struct sim *sim = world((struct sim_config){ .delay_ns = { 5, 5 } });
	char got[PORT_BURST + 1];

	(void)state;
	for (const char *c = "abcdef"; *c; c++)
		send_byte(sim, 0, (uint8_t)*c);
	sim_advance(sim, 5);
	take(sim, 1, got);
	assert_string_equal(got, "abcdef");
	sim_free(sim);
}

static void test_fates(void **state)
{
	struct sim *sim = world((struct sim_config){ .delay_ns = { 5, 5 } });
	struct port *port = sim_port(sim, 0);
	struct port_stats stats;
	char got[PORT_BURST + 1];
	struct port_sent sent;
	size_t len;

	(void)state;
	assert_null(sim_last(sim, 0, &len));
	sim_lose(sim, 0, 1);
	send_byte(sim, 0, 'a');
	sim_repeat(sim, 0, 1);
	send_byte(sim, 0, 'b');
	sim_refuse(sim, 0, 1);
	assert_int_equal(port->ops->transmit(port, (const uint8_t *)"c", 1, 0, NULL, NULL, &sent), -EAGAIN);
	send_byte(sim, 0, 'd');
	sim_advance(sim, 5);
	take(sim, 1, got);
	assert_string_equal(got, "bbd");
	assert_int_equal(*sim_last(sim, 0, &len), 'd');
	port->ops->stats(port, &stats);
	assert_int_equal(stats.tx_frames, 3);
	assert_int_equal(stats.tx_failed, 1);
	sim_free(sim);
}

static void test_chance(void **state)
{
	struct sim *sim = world((struct sim_config){
		.delay_ns = { 5, 5 }, .lost_ppm = 200000, .twice_ppm = 100000,
		.late_ppm = 100000, .late_ns = 3, .seed = 42,
	});
	char got[PORT_BURST + 1];
	int arrived = 0, out_of_order = 0, newest = 0;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		send_byte(sim, 0, (uint8_t)(1 + i % 100));
		sim_advance(sim, 1);
		for (int n = take(sim, 1, got), j = 0; j < n; j++) {
			arrived++;
			out_of_order += got[j] < newest && newest - got[j] < 50;
			newest = got[j];
		}
	}
	assert_in_range(arrived, 4200, 4600);	/* 5000 * 0.8 * 1.1 */
	assert_in_range(out_of_order, 200, 900);
	sim_free(sim);
}

static void test_clock(void **state)
{
	struct sim *sim = world((struct sim_config){ 0 });
	struct gate_end page = { .known = 1, .epoch = 5, .good_until_ns = 17 };
	struct clock *c = sim_clock(sim, 1);
	struct clock_reading r;

	(void)state;
	sim_advance(sim, 1000);
	assert_int_equal(c->ops->ticks(c), 1000);
	assert_int_equal(clock_mono_ns(c, 1000), 1000);
	assert_int_equal(clock_span_ns(c, 1000, 400), -600);
	sim_set_clock(sim, 1, 50, &page, -1);
	c->ops->read(c, 900, &r);
	assert_int_equal(r.ns, 950);
	assert_int_equal(r.end.epoch, 5);
	assert_int_equal(r.end.good_until_ns, 17);
	sim_set_clock(sim, 1, 50, &page, 100);
	c->ops->read(c, 900, &r);
	assert_int_equal(r.end.good_until_ns, 950);
	sim_free(sim);
}

/* port.c, with a backend of our own. */

static struct port opened;

static int fake_open(struct port **port, const char *spec, int argc, char **argv, struct err *e)
{
	(void)argv;
	if (strcmp(spec, "good"))
		return err_set(e, -ENODEV, "no port %s (%d)", spec, argc);
	*port = &opened;
	return 0;
}

static void fake_close(struct port *port)
{
	port->ops = NULL;
}

static const struct port_ops fake = { .scheme = "fake", .open = fake_open, .close = fake_close };
static const struct port_ops *const backends[] = { &fake, NULL };

static void test_open(void **state)
{
	struct port *port = NULL;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(port_open(&port, backends, "fake:good", 0, NULL, &e), 0);
	assert_ptr_equal(port, &opened);
	assert_ptr_equal(port->ops, &fake);
	assert_true(port->ticks() > 0);
	port_close(port);
	assert_null(opened.ops);
	port_close(NULL);
}

static void test_open_fails(void **state)
{
	static const char *const bad[] = { "fake", "fake:", "", ":", "fak:good", "fakes:good", "dpdk:net0" };
	struct port *port;
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(port_open(&port, backends, bad[i], 0, NULL, &e), -EINVAL);
		assert_non_null(strstr(e.msg, "port \""));
	}
	assert_int_equal(port_open(&port, backends, "fake:a:b", 3, NULL, &e), -ENODEV);
	assert_string_equal(e.msg, "no port a:b (3)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_delay),
		cmocka_unit_test(test_order_of_equals),
		cmocka_unit_test(test_fates),
		cmocka_unit_test(test_chance),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_open_fails),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

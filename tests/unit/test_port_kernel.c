/* What the kernel port makes of the kernel's words: control messages, the filter, stamps that are awaited.
 * The port on a real interface is in tests/system/test_probe_kernel.sh. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "kernel_notes.h"
#include "probe/ether.h"
#include "probe/kernel_cmsg.h"
#include "probe/kernel_filter.h"
#include "probe/kernel_sent.h"
#include "probe/port_kernel.h"
#include "probe/ptp_frame.h"
#include "rng.h"

/* Control messages. */

static struct kernel_note parse(const uint8_t *bytes, size_t len)
{
	uint8_t *copy = malloc(len + 1);
	struct kernel_note n;

	assert_non_null(copy);
	memcpy(copy, bytes, len);
	kernel_cmsg_parse(copy, len, &n);
	free(copy);
	return n;
}

static void test_received(void **state)
{
	struct kernel_note n = parse(note_received, sizeof(note_received));

	(void)state;
	assert_true(n.has_software);
	assert_int_equal(n.software_ns, NOTE_RECEIVED_NS);
	assert_false(n.has_hardware);
	assert_false(n.has_id);
	assert_false(n.has_tag);
	n = parse(note_early, sizeof(note_early));
	assert_false(n.has_software);
	assert_false(n.has_hardware);
}

static void test_tagged(void **state)
{
	struct kernel_note n = parse(note_tagged, sizeof(note_tagged));

	(void)state;
	assert_true(n.has_tag);
	assert_int_equal(n.tag, 3 << 13 | 7);
	assert_true(n.has_software);
}

static void test_sent(void **state)
{
	struct kernel_note n = parse(note_sent, sizeof(note_sent));

	(void)state;
	assert_true(n.has_id);
	assert_int_equal(n.id, 1);
	assert_true(n.has_software);
	assert_int_equal(n.software_ns, NOTE_SENT_NS);
}

static void test_hardware(void **state)
{
	struct kernel_note n = parse(note_received_hardware, sizeof(note_received_hardware));

	(void)state;
	assert_true(n.has_hardware);
	assert_int_equal(n.hardware_ns, NOTE_RECEIVED_HARDWARE_NS);
	assert_true(n.has_software);
	assert_int_equal(n.software_ns, NOTE_RECEIVED_SOFTWARE_NS);
	n = parse(note_sent_hardware, sizeof(note_sent_hardware));
	assert_true(n.has_hardware);
	assert_int_equal(n.hardware_ns, NOTE_SENT_HARDWARE_NS);
	assert_false(n.has_software);
	assert_true(n.has_id);
	assert_int_equal(n.id, 2);
}

static void test_nonsense(void **state)
{
	uint8_t bytes[sizeof(note_sent)];
	struct kernel_note n;

	(void)state;
	memcpy(bytes, note_sent, sizeof(bytes));
	bytes[27] = 0x7f;			/* nanoseconds of more than a second */
	n = parse(bytes, sizeof(bytes));
	assert_false(n.has_software);
	assert_true(n.has_id);
	memcpy(bytes, note_sent, sizeof(bytes));
	bytes[23] = 0x80;			/* seconds before 1970 */
	assert_false(parse(bytes, sizeof(bytes)).has_software);
	bytes[23] = 0x7f;			/* and past the end of time */
	assert_false(parse(bytes, sizeof(bytes)).has_software);
	memcpy(bytes, note_sent, sizeof(bytes));
	bytes[64 + 16 + 4] = 2;			/* an ICMP error is no stamp */
	assert_false(parse(bytes, sizeof(bytes)).has_id);
	bytes[64 + 16 + 4] = 4;
	bytes[64 + 16 + 8] = 1;			/* SCM_TSTAMP_SCHED: entered the packet scheduler */
	assert_false(parse(bytes, sizeof(bytes)).has_id);
}

/* Cut anywhere, nothing is read that is not there, and nothing made up. */
static void test_cut(void **state)
{
	(void)state;
	for (size_t len = 0; len < sizeof(note_sent); len++) {
		struct kernel_note n = parse(note_sent, len);

		assert_int_equal(n.has_software, len >= 64);
		assert_false(n.has_id && len < 64 + 32);
	}
}

/* The filter: the kernel itself runs it, on a socket pair. */

struct pipe { int in, out; };

static const struct ether_self self = { .mac = { 2, 0, 0, 0, 0, 2 }, .ip = 0x0a000002, .port = 862 };

static struct pipe filtered(void)
{
	struct sock_filter code[KERNEL_FILTER_MAX];
	struct sock_fprog prog = { .filter = code };
	int fds[2];

	prog.len = (unsigned short)kernel_filter_make(code, &self);
	assert_in_range(prog.len, 1, KERNEL_FILTER_MAX);
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, fds), 0);
	assert_int_equal(setsockopt(fds[1], SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog)), 0);
	return (struct pipe){ fds[0], fds[1] };
}

/* Returns 1 when all of the frame came through. */
static int passes(const struct pipe *p, const uint8_t *frame, size_t len)
{
	uint8_t got[PORT_FRAME_MAX];
	ssize_t n;

	(void)send(p->in, frame, len, 0);
	n = recv(p->out, got, sizeof(got), 0);
	if (n < 0)
		return 0;
	assert_int_equal(n, len);
	assert_memory_equal(got, frame, len);
	return 1;
}

static size_t udp_frame(uint8_t *frame)
{
	struct ether_udp u = { .src_ip = 0x0a000001, .dst_ip = self.ip, .src_port = 50000,
			       .dst_port = self.port, .ttl = 255 };

	memcpy(u.dst_mac, self.mac, 6);
	memset(frame, 0x5a, PORT_FRAME_MAX);
	return ether_udp_put(frame, &u, 100);
}

static void test_filter_udp(void **state)
{
	struct pipe p = filtered();
	uint8_t frame[PORT_FRAME_MAX];
	size_t len = udp_frame(frame);

	(void)state;
	assert_true(passes(&p, frame, len));
	frame[33]++;				/* another address */
	assert_false(passes(&p, frame, len));
	frame[33]--;
	frame[37]++;				/* another port */
	assert_false(passes(&p, frame, len));
	frame[37]--;
	frame[23] = 6;				/* TCP */
	assert_false(passes(&p, frame, len));
	frame[23] = 17;
	frame[14] = 0x46;			/* an IP option: the port stands 4 bytes further on */
	assert_false(passes(&p, frame, len));
	memcpy(frame + 40, frame + 36, 2);
	assert_true(passes(&p, frame, len));
	for (size_t cut = 0; cut < 38; cut++)
		assert_false(passes(&p, frame, cut));
	close(p.in);
	close(p.out);
}

static void test_filter_arp(void **state)
{
	struct ether_arp a = { .src_ip = 0x0a000001, .dst_ip = self.ip };
	struct pipe p = filtered();
	uint8_t frame[ETHER_ARP_LEN + 4];
	size_t len;

	(void)state;
	for (a.reply = 0; a.reply < 2; a.reply++) {
		a.dst_ip = self.ip;
		len = ether_arp_put(frame, &a);
		assert_true(passes(&p, frame, len));
		a.dst_ip = self.ip + 1;
		len = ether_arp_put(frame, &a);
		assert_false(passes(&p, frame, len));
	}
	memset(frame + 12, 0x86, 2);
	assert_false(passes(&p, frame, len));
	close(p.in);
	close(p.out);
}

static void test_filter_ptp(void **state)
{
	static const size_t all_matter[] = { 12, 13, 18, 72, 73, 74, 75, 78, 79 };
	struct ether_udp u = { .src_ip = 0x0a000001, .dst_ip = self.ip, .src_port = 50000,
			       .dst_port = self.port };
	struct pipe p = filtered();
	uint8_t frame[PORT_FRAME_MAX];
	struct ether_packet out;
	size_t len;

	(void)state;
	memcpy(u.dst_mac, self.mac, 6);
	memset(frame, 0x5a, sizeof(frame));
	len = ptp_frame_put(frame, &u, 100);
	assert_int_equal(ptp_frame_parse(&self, frame, len, &out), ETHER_UDP);
	assert_true(passes(&p, frame, len));
	for (size_t i = 0; i < sizeof(all_matter) / sizeof(all_matter[0]); i++) {
		frame[all_matter[i]] ^= 4;
		assert_false(passes(&p, frame, len));
		frame[all_matter[i]] ^= 4;
	}
	close(p.in);
	close(p.out);
}

/* Nothing that the probe's own parser takes is held back. */
static void test_filter_any(void **state)
{
	struct rng rng = rng_seeded();
	struct pipe p = filtered();
	uint8_t frame[PORT_FRAME_MAX];
	struct ether_packet out;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		size_t len = udp_frame(frame);

		for (int flips = (int)rng_below(&rng, 4); flips > 0; flips--)
			frame[rng_below(&rng, 42)] ^= (uint8_t)(1 << rng_below(&rng, 8));
		if (frame[12] == 0x81 && frame[13] == 0)
			continue;		/* the kernel leaves no tag in a frame */
		switch (ether_parse(&self, frame, len, &out)) {
		case ETHER_UDP:
		case ETHER_ARP:
			assert_true(passes(&p, frame, len));
			break;
		default:
			passes(&p, frame, len);
		}
	}
	close(p.in);
	close(p.out);
}

/* Stamps that are awaited. */

static uint64_t lost[STAMP_LOSS_COUNT];

static struct kernel_sent *sent_new(int limit)
{
	struct kernel_sent *s = malloc(sizeof(*s));

	assert_non_null(s);
	memset(lost, 0, sizeof(lost));
	kernel_sent_init(s, limit, lost);
	return s;
}

static void stamp_it(struct kernel_sent *s, uint32_t kernel_id, uint64_t tick)
{
	struct stamp stamp = { .kind = STAMP_SOFTWARE, .tick = tick, .half_ticks = 5 };
	struct kernel_sent_slot *slot = kernel_sent_find(s, kernel_id);

	assert_non_null(slot);
	kernel_sent_settle(s, slot, &stamp, STAMP_LOSS_COUNT);
}

static void test_awaited(void **state)
{
	struct kernel_sent *s = sent_new(0);
	struct stamp out;

	(void)state;
	assert_int_equal(kernel_sent_take(s, 0, &out), -ENODATA);
	for (uint32_t i = 0; i < 3; i++) {
		assert_true(kernel_sent_room(s));
		assert_int_equal(kernel_sent_add(s, 100 + i), i);
	}
	assert_int_equal(kernel_sent_take(s, 1, &out), -EAGAIN);
	stamp_it(s, 1, 777);
	assert_null(kernel_sent_find(s, 1));
	assert_int_equal(kernel_sent_take(s, 1, &out), 0);
	assert_int_equal(out.tick, 777);
	assert_int_equal(out.half_ticks, 5);
	assert_int_equal(kernel_sent_take(s, 1, &out), -ENODATA);
	assert_int_equal(kernel_sent_take(s, 2, &out), -EAGAIN);
	assert_null(kernel_sent_find(s, 3));
	assert_null(kernel_sent_find(s, UINT32_MAX));
	free(s);
}

static void test_slots(void **state)
{
	struct kernel_sent *s = sent_new(1);
	struct stamp out;

	(void)state;
	assert_true(kernel_sent_room(s));
	kernel_sent_add(s, 100);
	assert_false(kernel_sent_room(s));
	assert_int_equal(lost[STAMP_LOSS_no_slot], 1);
	stamp_it(s, 0, 150);
	assert_true(kernel_sent_room(s));
	kernel_sent_add(s, 200);
	kernel_sent_expire(s, 200);
	assert_int_equal(kernel_sent_take(s, 1, &out), -EAGAIN);
	kernel_sent_expire(s, 201);
	assert_int_equal(kernel_sent_take(s, 1, &out), -ENODATA);
	assert_int_equal(lost[STAMP_LOSS_timeout], 1);
	assert_null(kernel_sent_find(s, 1));
	assert_true(kernel_sent_room(s));
	free(s);
}

static void test_restart(void **state)
{
	struct kernel_sent *s = sent_new(0);
	struct stamp out;

	(void)state;
	kernel_sent_add(s, 1);
	kernel_sent_add(s, 2);
	kernel_sent_restart(s);
	assert_int_equal(lost[STAMP_LOSS_restart], 2);
	assert_int_equal(kernel_sent_add(s, 3), 2);
	assert_int_equal(kernel_sent_take(s, 0, &out), -ENODATA);
	stamp_it(s, 0, 33);
	assert_int_equal(kernel_sent_take(s, 2, &out), 0);
	assert_int_equal(out.tick, 33);
	free(s);
}

/* Whatever the order, each frame ends once: stamped, lost, or still awaited; and numbers wrap. */
static void test_any(void **state)
{
	struct rng rng = rng_seeded();
	struct kernel_sent *s = sent_new(0);
	uint64_t added = 0, stamped = 0, given_up;
	int waiting = 0;

	(void)state;
	s->next = s->oldest = s->base = UINT32_MAX - 500;
	for (uint64_t tick = 1; tick < 200000; tick++) {
		struct kernel_sent_slot *slot;

		switch (rng_below(&rng, 4)) {
		case 0:
		case 1:
			assert_true(kernel_sent_room(s));
			kernel_sent_add(s, tick);
			added++;
			break;
		case 2:
			slot = kernel_sent_find(s, s->next - s->base - (uint32_t)rng_below(&rng, 1500));
			if (slot) {
				stamp_it(s, slot->id - s->base, tick);
				stamped++;
			}
			break;
		default:
			kernel_sent_expire(s, tick > 3000 ? tick - 3000 : 0);
		}
	}
	given_up = lost[STAMP_LOSS_timeout];
	for (int i = 0; i < KERNEL_SENT_SLOTS; i++)
		waiting += s->slot[i].state == SENT_WAITING;
	assert_int_equal(waiting, s->waiting);
	assert_int_equal(added, stamped + given_up + (uint64_t)waiting);
	assert_true(stamped > 1000 && given_up > 1000);
	free(s);
}

/* Opening, as far as that goes without an interface of one's own. */

static void test_open_fails(void **state)
{
	char word[] = "word", *argv[] = { word };
	struct port *port;
	struct err e;
	int err;

	(void)state;
	assert_int_equal(port_kernel.open(&port, "eth0", 1, argv, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "word"));
	err = port_kernel.open(&port, "kernport-none", 0, NULL, &e);
	assert_true(err == -ENODEV || err == -EPERM);
	assert_non_null(strstr(e.msg, "kernport-none"));
	err = port_kernel.open(&port, "a-name-that-is-too-long-for-an-interface", 0, NULL, &e);
	assert_true(err == -ENODEV || err == -EPERM);
	err = port_kernel.open(&port, "lo", 0, NULL, &e);
	assert_true(err == -ENODEV || err == -EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_received),
		cmocka_unit_test(test_tagged),
		cmocka_unit_test(test_sent),
		cmocka_unit_test(test_hardware),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_filter_udp),
		cmocka_unit_test(test_filter_arp),
		cmocka_unit_test(test_filter_ptp),
		cmocka_unit_test(test_filter_any),
		cmocka_unit_test(test_awaited),
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_restart),
		cmocka_unit_test(test_any),
		cmocka_unit_test(test_open_fails),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

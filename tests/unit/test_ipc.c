#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "timesvc/ipc.h"

static int ends[2];

static int set_up(void **state)
{
	(void)state;
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends);
}

static int tear_down(void **state)
{
	(void)state;
	close(ends[0]);
	close(ends[1]);
	return 0;
}

static void requests_arrive_whole(void **state)
{
	struct ipc_request out = { .version = IPC_VERSION, .kind = IPC_RESTART,
		.child = { CHILD_PHC2SYS, 3 }, .index = 3, .flag = 1 };
	struct ipc_request in;

	(void)state;
	assert_int_equal(ipc_recv_request(ends[1], &in), -EAGAIN);
	assert_int_equal(ipc_send(ends[0], &out, sizeof(out), -1), 0);
	assert_int_equal(ipc_recv_request(ends[1], &in), 1);
	assert_memory_equal(&in, &out, sizeof(out));
	assert_int_equal(ipc_recv_request(ends[1], &in), -EAGAIN);
}

static void a_notice_brings_its_descriptor(void **state)
{
	struct ipc_notice in, out = { .version = IPC_VERSION, .kind = IPC_PHC, .index = 1,
		.phc = { "0000:01:00.0", "igb", "525400000001", 2, 0 } };
	int pipe_ends[2], fd;
	char byte = 0;

	(void)state;
	assert_int_equal(pipe(pipe_ends), 0);
	assert_int_equal(ipc_send(ends[0], &out, sizeof(out), pipe_ends[1]), 0);
	close(pipe_ends[1]);
	assert_int_equal(ipc_recv_notice(ends[1], &in, &fd), 1);
	assert_memory_equal(&in, &out, sizeof(out));
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(read(pipe_ends[0], &byte, 1), 1);
	assert_int_equal(byte, 'x');
	close(fd);
	close(pipe_ends[0]);
}

static void what_is_not_ours_is_refused(void **state)
{
	struct ipc_request r = { .version = IPC_VERSION, .kind = IPC_OPEN_MGMT }, in;
	struct ipc_notice n;
	char large[256] = { 0 };
	int fd = 7;

	(void)state;
	assert_int_equal(ipc_send(ends[0], &r, sizeof(r) - 1, -1), 0);
	assert_int_equal(ipc_recv_request(ends[1], &in), -EPROTO);
	assert_int_equal(ipc_send(ends[0], large, sizeof(large), -1), 0);
	assert_int_equal(ipc_recv_request(ends[1], &in), -EPROTO);
	r.version = IPC_VERSION + 1;
	assert_int_equal(ipc_send(ends[0], &r, sizeof(r), -1), 0);
	assert_int_equal(ipc_recv_request(ends[1], &in), -EPROTO);
	assert_int_equal(ipc_send(ends[0], &r, sizeof(r), -1), 0);
	assert_int_equal(ipc_recv_notice(ends[1], &n, &fd), -EPROTO);
	assert_int_equal(fd, -1);
}

/* How many descriptors are open. */
static int open_fds(void)
{
	int count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void a_descriptor_nobody_asked_for_is_closed(void **state)
{
	struct ipc_request r = { .version = IPC_VERSION, .kind = IPC_OPEN_MGMT }, in;
	int before = open_fds();

	(void)state;
	assert_int_equal(ipc_send(ends[0], &r, sizeof(r), 0), 0);
	assert_int_equal(ipc_recv_request(ends[1], &in), -EPROTO);
	assert_int_equal(ipc_send(ends[0], &r, sizeof(r) - 4, 0), 0);
	assert_int_equal(ipc_recv_request(ends[1], &in), -EPROTO);
	assert_int_equal(open_fds(), before);
}

static void the_end_of_the_stream(void **state)
{
	struct ipc_request in;
	struct ipc_notice n;
	int fd;

	(void)state;
	shutdown(ends[0], SHUT_WR);
	assert_int_equal(ipc_recv_request(ends[1], &in), 0);
	assert_int_equal(ipc_recv_notice(ends[1], &n, &fd), 0);
}

static void an_end_with_unread_messages(void **state)
{
	struct ipc_notice n = { .version = IPC_VERSION };
	struct ipc_request in;

	(void)state;
	assert_int_equal(ipc_send(ends[1], &n, sizeof(n), -1), 0);
	close(ends[0]);
	assert_int_equal(ipc_recv_request(ends[1], &in), 0);
	ends[0] = -1;
}

static void a_full_socket_says_again(void **state)
{
	struct ipc_notice n = { .version = IPC_VERSION };
	int rc = 0, sent = 0;

	(void)state;
	while (!(rc = ipc_send(ends[0], &n, sizeof(n), -1)) && sent < 100000)
		sent++;
	assert_int_equal(rc, -EAGAIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(requests_arrive_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_notice_brings_its_descriptor, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_not_ours_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_descriptor_nobody_asked_for_is_closed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_end_of_the_stream, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_end_with_unread_messages, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_full_socket_says_again, set_up, tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

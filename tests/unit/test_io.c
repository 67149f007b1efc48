#define _GNU_SOURCE 1	/* F_GET_SEALS */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "io.h"

static char dir[] = "/tmp/test_io.XXXXXX";

static const char *in_dir(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) == NULL;
}

static int remove_dir(void **state)
{
	static const char *const names[] = { "file", "empty", "big" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(in_dir(names[i]));
	return rmdir(dir);
}

static void full_transfers(void **state)
{
	char got[6] = "";
	int fd[2];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(io_write_full(fd[1], "he", 2), 0);
	assert_int_equal(io_write_full(fd[1], "", 0), 0);
	assert_int_equal(io_write_full(fd[1], "llo", 3), 0);
	assert_int_equal(io_read_full(fd[0], got, 5), 0);
	assert_string_equal(got, "hello");
	assert_int_equal(io_write_full(fd[1], "abc", 3), 0);
	close(fd[1]);
	assert_int_equal(io_read_full(fd[0], got, 5), -EPIPE);
	assert_int_equal(io_read_full(fd[0], got, 0), 0);
	close(fd[0]);
	assert_int_equal(io_read_full(fd[0], got, 1), -EBADF);
	assert_int_equal(io_write_full(fd[1], got, 1), -EBADF);
}

static void write_to_nobody(void **state)
{
	int fd[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fd), 0);
	close(fd[0]);
	assert_int_equal(io_write_full(fd[1], "x", 1), -EPIPE);
	close(fd[1]);
}

#define BULK (300 * 1024)	/* more than a pipe holds: transfers come in pieces */

static void on_signal(int signo)
{
	(void)signo;
}

static void *read_late(void *arg)
{
	char got[5] = "";
	int *fd = arg;

	*fd = io_read_full(*fd, got, sizeof(got));
	return memcmp(got, "hello", 5) ? "garbled" : NULL;
}

static void a_signal_does_not_end_a_read(void **state)
{
	struct sigaction sa = { .sa_handler = on_signal };
	int fd[2], reader_fd;
	pthread_t reader;
	void *complaint;

	(void)state;
	sigaction(SIGUSR1, &sa, NULL);
	assert_int_equal(pipe(fd), 0);
	reader_fd = fd[0];
	assert_int_equal(pthread_create(&reader, NULL, read_late, &reader_fd), 0);
	for (int i = 0; i < 5; i++) {
		usleep(2000);
		pthread_kill(reader, SIGUSR1);
		assert_int_equal(write(fd[1], &"hello"[i], 1), 1);
	}
	pthread_join(reader, &complaint);
	assert_int_equal(reader_fd, 0);
	assert_null(complaint);
	close(fd[0]);
	close(fd[1]);
}

static void *write_bulk(void *arg)
{
	static char bulk[BULK];
	int *fd = arg;

	memset(bulk, 'b', sizeof(bulk));
	*fd = io_write_full(*fd, bulk, sizeof(bulk));
	return NULL;
}

static void pieces_and_signals(void **state)
{
	static char got[BULK];
	struct sigaction sa = { .sa_handler = on_signal };
	int fd[2], writer_fd;
	pthread_t writer;

	(void)state;
	sigaction(SIGUSR1, &sa, NULL);
	assert_int_equal(pipe(fd), 0);
	writer_fd = fd[1];
	assert_int_equal(pthread_create(&writer, NULL, write_bulk, &writer_fd), 0);
	for (int i = 0; i < 5; i++) {
		usleep(2000);
		pthread_kill(writer, SIGUSR1);
	}
	assert_int_equal(io_read_full(fd[0], got, sizeof(got)), 0);
	pthread_join(writer, NULL);
	assert_int_equal(writer_fd, 0);
	for (size_t i = 0; i < sizeof(got); i++)
		assert_int_equal(got[i], 'b');
	close(fd[0]);
	close(fd[1]);
}

static void files_go_round(void **state)
{
	struct err e = { 0 };
	struct stat st;
	char *text;
	size_t len;

	(void)state;
	assert_int_equal(io_write_file(in_dir("file"), "a\0b\n", 4, 0640, &e), 0);
	assert_int_equal(stat(in_dir("file"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(io_read_file(in_dir("file"), 4, &text, &len, &e), 0);
	assert_int_equal(len, 4);
	assert_memory_equal(text, "a\0b\n", 5);
	free(text);
	assert_int_equal(io_write_file(in_dir("file"), "new", 3, 0600, &e), 0);
	assert_int_equal(io_read_file(in_dir("file"), 100, &text, &len, &e), 0);
	assert_string_equal(text, "new");
	free(text);
	assert_int_equal(io_write_file(in_dir("empty"), NULL, 0, 0600, &e), 0);
	assert_int_equal(io_read_file(in_dir("empty"), 0, &text, &len, &e), 0);
	assert_int_equal(len, 0);
	assert_string_equal(text, "");
	free(text);
}

static void large_files(void **state)
{
	static char bulk[BULK];
	struct err e = { 0 };
	char *text = NULL, want[320];
	size_t len = 4711;

	(void)state;
	memset(bulk, 'x', sizeof(bulk));
	assert_int_equal(io_write_file(in_dir("big"), bulk, sizeof(bulk), 0600, &e), 0);
	assert_int_equal(io_read_file(in_dir("big"), BULK, &text, &len, &e), 0);
	assert_int_equal(len, BULK);
	assert_memory_equal(text, bulk, BULK);
	assert_int_equal(text[len], '\0');
	free(text);
	text = NULL;
	assert_int_equal(io_read_file(in_dir("big"), BULK - 1, &text, &len, &e), -EFBIG);
	snprintf(want, sizeof(want), "%s: larger than %d bytes", in_dir("big"), BULK - 1);
	assert_string_equal(e.msg, want);
	assert_null(text);
	assert_int_equal(len, BULK);
	assert_int_equal(io_read_file(in_dir("big"), 0, &text, &len, NULL), -EFBIG);
	assert_int_equal(io_read_file(in_dir("big"), SIZE_MAX, &text, &len, &e), 0);
	assert_int_equal(len, BULK);
	free(text);
}

static void files_that_cannot_be(void **state)
{
	struct err e = { 0 };
	char *text = NULL, want[320], deep[5000];
	size_t len;

	(void)state;
	assert_int_equal(io_read_file(in_dir("none"), 10, &text, &len, &e), -ENOENT);
	snprintf(want, sizeof(want), "cannot open %s: No such file or directory", in_dir("none"));
	assert_string_equal(e.msg, want);
	assert_int_equal(io_read_file(dir, 10, &text, &len, &e), -EISDIR);
	snprintf(want, sizeof(want), "%s: cannot read: Is a directory", dir);
	assert_string_equal(e.msg, want);
	assert_null(text);
	assert_int_equal(io_write_file("/nonexistent/file", "x", 1, 0600, &e), -ENOENT);
	assert_string_equal(e.msg, "cannot create a file beside /nonexistent/file: "
			    "No such file or directory");
	assert_int_equal(io_write_file(dir, "x", 1, 0600, &e), -EISDIR);
	memset(deep, 'd', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	assert_int_equal(io_write_file(deep, "x", 1, 0600, &e), -ENAMETOOLONG);
}

/* The file beside dir is gone after the failure above: nothing but dir itself is left. */
static void failures_leave_nothing(void **state)
{
	char command[320];

	(void)state;
	snprintf(command, sizeof(command), "test -z \"$(ls -d %s.* 2>/dev/null)\"", dir);
	assert_int_equal(system(command), 0);
}

/* A full disk, played by a limit on the size of files: the old file stays, nothing beside it. */
static void a_failed_write_keeps_the_old(void **state)
{
	struct rlimit saved, small;
	struct err e = { 0 };
	char bulk[2000] = "", command[320], *text;
	int written, memfd;
	size_t len;

	(void)state;
	assert_int_equal(io_write_file(in_dir("file"), "old", 3, 0600, &e), 0);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &saved);
	small = (struct rlimit){ 1000, saved.rlim_max };
	setrlimit(RLIMIT_FSIZE, &small);
	written = io_write_file(in_dir("file"), bulk, sizeof(bulk), 0600, &e);
	memfd = io_memfd("conf", bulk, sizeof(bulk));
	setrlimit(RLIMIT_FSIZE, &saved);
	assert_int_equal(written, -EFBIG);
	assert_int_equal(memfd, -EFBIG);
	assert_int_equal(io_read_file(in_dir("file"), 10, &text, &len, &e), 0);
	assert_string_equal(text, "old");
	free(text);
	snprintf(command, sizeof(command), "test -z \"$(ls %s/file.* 2>/dev/null)\"", dir);
	assert_int_equal(system(command), 0);
}

static void messages_and_descriptors(void **state)
{
	int sock[2], fd, pipe_fd[2];
	char msg[8];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sock), 0);
	assert_int_equal(io_send_fd(sock[0], "hello", 5, -1), 0);
	fd = 4711;
	assert_int_equal(io_recv_fd(sock[1], msg, sizeof(msg), &fd), 5);
	assert_memory_equal(msg, "hello", 5);
	assert_int_equal(fd, -1);

	assert_int_equal(pipe(pipe_fd), 0);
	assert_int_equal(io_send_fd(sock[0], "pipe", 4, pipe_fd[1]), 0);
	close(pipe_fd[1]);
	assert_int_equal(io_recv_fd(sock[1], msg, sizeof(msg), &fd), 4);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(io_write_full(fd, "x", 1), 0);
	assert_int_equal(io_read_full(pipe_fd[0], msg, 1), 0);
	close(fd);
	close(pipe_fd[0]);

	close(sock[0]);
	assert_int_equal(io_recv_fd(sock[1], msg, sizeof(msg), &fd), 0);
	assert_int_equal(fd, -1);
	assert_int_equal(io_send_fd(sock[1], "x", 1, -1), -EPIPE);
	close(sock[1]);
	assert_int_equal(io_recv_fd(sock[1], msg, sizeof(msg), &fd), -EBADF);
}

static int open_descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void send_two_descriptors(int sock, int fd)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control = { 0 };
	struct iovec iov = { "x", 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
			    .msg_controllen = CMSG_LEN(2 * sizeof(int)) };
	int both[2] = { fd, fd };

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(both));
	memcpy(CMSG_DATA(&control.header), both, sizeof(both));
	assert_int_equal(sendmsg(sock, &m, 0), 1);
}

/* What is not taken is closed: a peer cannot fill our table of descriptors. */
static void what_does_not_fit_is_refused(void **state)
{
	int sock[2], fd, before;
	char msg[4];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, sock), 0);
	before = open_descriptors();
	assert_int_equal(io_send_fd(sock[0], "hello", 5, sock[0]), 0);
	assert_int_equal(io_recv_fd(sock[1], msg, sizeof(msg), &fd), -EMSGSIZE);
	assert_int_equal(fd, -1);
	send_two_descriptors(sock[0], sock[0]);
	assert_int_equal(io_recv_fd(sock[1], msg, sizeof(msg), &fd), -EMSGSIZE);
	assert_int_equal(fd, -1);
	assert_int_equal(open_descriptors(), before);
	assert_int_equal(io_recv_fd(sock[1], msg, sizeof(msg), &fd), -EAGAIN);
	close(sock[0]);
	close(sock[1]);
}

static void memfd_is_sealed(void **state)
{
	int fd = io_memfd("conf", "text", 4);
	char *text;
	size_t len;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(io_read_fd(fd, 100, &text, &len, NULL), 0);
	assert_string_equal(text, "text");
	free(text);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(io_write_full(fd, "x", 1), -EPERM);
	assert_int_equal(ftruncate(fd, 1), -1);
	assert_int_equal(ftruncate(fd, 10), -1);
	assert_int_equal(fcntl(fd, F_GET_SEALS), F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK |
			 F_SEAL_SEAL);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full_transfers),
		cmocka_unit_test(write_to_nobody),
		cmocka_unit_test(pieces_and_signals),
		cmocka_unit_test(a_signal_does_not_end_a_read),
		cmocka_unit_test(files_go_round),
		cmocka_unit_test(large_files),
		cmocka_unit_test(files_that_cannot_be),
		cmocka_unit_test(failures_leave_nothing),
		cmocka_unit_test(a_failed_write_keeps_the_old),
		cmocka_unit_test(messages_and_descriptors),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(memfd_is_sealed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

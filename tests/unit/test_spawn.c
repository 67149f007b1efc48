#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "timesvc/monitor/children.h"
#include "timesvc/monitor/listen.h"
#include "timesvc/monitor/process.h"
#include "timesvc/monitor/rundir.h"
#include "timesvc/monitor/spawn.h"

static char dir[] = "/tmp/test_spawn.XXXXXX";

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

/* What a shell with this script says. */
static const char *said(char *script, const int fds[SPAWN_FDS])
{
	static char text[512];
	char sh[] = "/bin/sh", c[] = "-c";
	char *argv[] = { sh, c, script, NULL };
	struct spawn s = { .argv = argv };
	int out[2], pid;
	ssize_t n;

	memcpy(s.fds, fds, sizeof(s.fds));
	assert_int_equal(pipe(out), 0);
	s.out = out[1];
	pid = spawn_start(&s, NULL);
	assert_true(pid > 0);
	close(out[1]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	n = read(out[0], text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	close(out[0]);
	return text;
}

static const int no_fds[SPAWN_FDS] = { -1, -1, -1 };

static void only_named_descriptors_pass(void **state)
{
	char list[] = "cd /proc/self/fd && echo [0-9]*";
	int leak = fcntl(0, F_DUPFD, 20), fds[SPAWN_FDS] = { -1, open("/dev/null", O_RDONLY), -1 };

	(void)state;
	/* The shell reads the directory through one of its own, 3. */
	assert_string_equal(said(list, no_fds), "0 1 2 3\n");
	assert_string_equal(said(list, fds), "0 1 2 3 4\n");
	close(leak);
	close(fds[1]);
}

static void descriptors_may_be_in_each_others_place(void **state)
{
	char read_all[] = "cat <&3; cat <&4; cat <&5";
	int ends[SPAWN_FDS][2], fds[SPAWN_FDS];
	static const char *const texts[] = { "a", "b", "c" };

	(void)state;
	for (int i = 0; i < SPAWN_FDS; i++) {
		assert_int_equal(pipe(ends[i]), 0);
		assert_int_equal(write(ends[i][1], texts[i], 1), 1);
		close(ends[i][1]);
		fds[SPAWN_FDS - 1 - i] = ends[i][0];
	}
	assert_string_equal(said(read_all, fds), "cba");
	for (int i = 0; i < SPAWN_FDS; i++)
		close(ends[i][0]);
}

static void a_child_has_its_own_group_and_quiet_signals(void **state)
{
	char group[] = "set -- $(cat /proc/$$/stat); test $5 = $$ && echo own";
	char blocked[] = "grep -E '^Sig(Blk|Ign)' /proc/self/status";
	/* 32 and 33 are glibc's: it lets nobody reset them, and GNU make leaves them ignored. */
	const unsigned long long libc_own = 0x180000000;
	const char *ignored;

	(void)state;
	assert_string_equal(said(group, no_fds), "own\n");
	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	assert_non_null(strstr(said(blocked, no_fds), "SigBlk:\t0000000000000000"));
	ignored = strstr(said(blocked, no_fds), "SigIgn:");
	assert_non_null(ignored);
	assert_int_equal(strtoull(ignored + 8, NULL, 16) & ~libc_own, 0);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
}

static void what_cannot_be_run_is_an_error(void **state)
{
	char missing[] = "/nonexistent/program", plain[] = "/etc/passwd";
	char *argv[] = { missing, NULL };
	struct spawn s = { .argv = argv, .out = -1, .fds = { -1, -1, -1 } };
	struct err e;

	(void)state;
	assert_int_equal(spawn_start(&s, &e), -ENOENT);
	assert_string_equal(e.msg, "cannot run /nonexistent/program: No such file or directory");
	argv[0] = plain;
	assert_int_equal(spawn_start(&s, &e), -EACCES);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);	/* nobody is left behind */
}

static void output_is_cut_and_time_is_limited(void **state)
{
	char sh[] = "/bin/sh", c[] = "-c", script[] = "echo 4.2-rc1; exec sleep 100";
	char *argv[] = { sh, c, script, NULL };
	char text[5];

	(void)state;
	assert_int_equal(spawn_output(argv, text, sizeof(text), 2000), 0);
	assert_string_equal(text, "4.2-");
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static int start_sleep(struct process *p)
{
	char sleep_[] = "/bin/sleep", time[] = "100";
	char *argv[] = { sleep_, time, NULL };
	struct spawn s = { .argv = argv, .out = -1, .fds = { -1, -1, -1 } };
	int pid = spawn_start(&s, NULL);

	assert_true(pid > 0);
	assert_int_equal(process_open(p, pid), 0);
	return pid;
}

static void await_end(const struct process *p, int *status)
{
	for (int i = 0; i < 2000 && process_alive(p, status); i++)
		usleep(1000);
}

static void a_process_is_watched_to_its_end(void **state)
{
	struct process p;
	int status = 0;

	(void)state;
	start_sleep(&p);
	assert_int_equal(process_alive(&p, &status), 1);
	assert_int_equal(process_signal(&p, SIGKILL), 0);
	await_end(&p, &status);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	assert_int_equal(process_signal(&p, SIGKILL), -ESRCH);
	process_close(&p);
}

static void without_a_pidfd_the_start_time_tells(void **state)
{
	struct process p, other;
	int status = 0;

	(void)state;
	start_sleep(&p);
	close(p.pidfd);
	p.pidfd = -1;
	other = p;
	other.start++;	/* as if the pid had been used again */
	assert_int_equal(process_signal(&other, SIGKILL), -ESRCH);
	assert_int_equal(process_alive(&p, &status), 1);
	assert_int_equal(process_signal(&p, SIGTERM), 0);
	await_end(&p, &status);
	assert_int_equal(WTERMSIG(status), SIGTERM);
	process_close(&p);
}

static void one_that_is_no_child_ends_with_an_unknown_status(void **state)
{
	char detach[] = "sleep 0.2 & echo $!";
	struct process p;
	int status = 0;

	(void)state;
	assert_int_equal(process_open(&p, atoi(said(detach, no_fds))), 0);
	assert_int_equal(process_alive(&p, &status), 1);
	await_end(&p, &status);
	assert_int_equal(process_alive(&p, &status), 0);
	assert_int_equal(status, -1);
	process_close(&p);
	assert_int_equal(process_open(&p, 0x3fffffff), -ESRCH);
}

static void a_command_line_is_compared_whole(void **state)
{
	char sleep_[] = "/bin/sleep", time[] = "100", other[] = "10", more[] = "1";
	struct process p;
	int status;

	(void)state;
	start_sleep(&p);
	assert_true(process_runs(&p, (char *const[]){ sleep_, time, NULL }));
	assert_false(process_runs(&p, (char *const[]){ sleep_, other, NULL }));
	assert_false(process_runs(&p, (char *const[]){ sleep_, NULL }));
	assert_false(process_runs(&p, (char *const[]){ sleep_, time, more, NULL }));
	process_signal(&p, SIGKILL);
	await_end(&p, &status);
	process_close(&p);
}

static void records_come_back_while_they_live(void **state)
{
	struct child_record r[2] = {
		{ .kind = CHILD_PHC2SYS, .name = "a" }, { .kind = CHILD_PROBE, .name = "b" }
	};
	struct child_record got[4];
	struct process p;
	int status;

	(void)state;
	r[0].pid = start_sleep(&p);
	r[0].start = p.start;
	r[1].pid = getpid();
	r[1].start = p.start + 100000;	/* not ours */
	assert_int_equal(children_read(dir, got, 4), 0);
	assert_int_equal(children_write(dir, r, 2, NULL), 0);
	assert_int_equal(children_read(dir, got, 4), 1);
	assert_memory_equal(&got[0], &r[0], sizeof(r[0]));
	process_signal(&p, SIGKILL);
	await_end(&p, &status);
	process_close(&p);
	assert_int_equal(children_read(dir, got, 4), 0);
}

static void one_daemon_per_directory(void **state)
{
	char path[64], want[128];
	struct err e;
	int lock, again;

	(void)state;
	snprintf(path, sizeof(path), "%s/made/here", dir);
	lock = rundir_lock(path, &e);
	assert_true(lock >= 0);
	assert_int_equal(rundir_write_pid(lock, 4711), 0);
	assert_int_equal(rundir_lock(path, &e), -EWOULDBLOCK);
	snprintf(want, sizeof(want), "another timesvcd, pid 4711, already uses %s", path);
	assert_string_equal(e.msg, want);
	rundir_release(lock);
	again = rundir_lock(path, &e);
	assert_true(again >= 0);
	rundir_release(again);
	assert_int_equal(rundir_lock("/dev/null/x", &e), -ENOTDIR);
}

static void a_port_that_is_taken(void **state)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0), port;
	char want[128];
	struct err e;

	(void)state;
	assert_int_equal(bind(fd, (struct sockaddr *)&a, len), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	port = ntohs(a.sin_port);
	assert_int_equal(listen_check("127.0.0.1", port, &e), -EADDRINUSE);
	snprintf(want, sizeof(want), "cannot listen on 127.0.0.1 port %d: Address already in use; "
		"set the key 'http_port' or 'http_address'", port);
	assert_string_equal(e.msg, want);
	close(fd);
	assert_int_equal(listen_check("127.0.0.1", port, &e), 0);
	assert_int_equal(listen_check("192.0.2.1", port, &e), -EADDRNOTAVAIL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_named_descriptors_pass),
		cmocka_unit_test(descriptors_may_be_in_each_others_place),
		cmocka_unit_test(a_child_has_its_own_group_and_quiet_signals),
		cmocka_unit_test(what_cannot_be_run_is_an_error),
		cmocka_unit_test(output_is_cut_and_time_is_limited),
		cmocka_unit_test(a_process_is_watched_to_its_end),
		cmocka_unit_test(without_a_pidfd_the_start_time_tells),
		cmocka_unit_test(one_that_is_no_child_ends_with_an_unknown_status),
		cmocka_unit_test(a_command_line_is_compared_whole),
		cmocka_unit_test(records_come_back_while_they_live),
		cmocka_unit_test(one_daemon_per_directory),
		cmocka_unit_test(a_port_that_is_taken),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}

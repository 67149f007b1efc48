/* timesvcd: reads its arguments and becomes the monitor, or, re-executed, the engine or the front.
 *
 *   exit status   meaning
 *   0             it ended as it should
 *   1             it failed at run time
 *   2             wrong use of the command line
 *   3             the configuration cannot be read or is wrong
 *   4             a network interface, or the HTTP address on one, is missing
 *   5             a privilege is missing
 *   6             a program that it runs is missing
 *   7             another timesvcd has run_dir, another ptp4l the socket, or another program the port
 *   8             the user that it is to run as is missing */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include "engine.h"
#include "front/front.h"
#include "io.h"
#include "log.h"
#include "monitor/detach.h"
#include "monitor/monitor.h"
#include "monitor/notify.h"
#include "monitor/plan.h"
#include "monitor/privs.h"
#include "monitor/rundir.h"
#include "monitor/spawn.h"
#include "options.h"
#include "settings.h"

#define DEFAULT_CONF SYSCONFDIR "/timesvc.conf"
#define CONF_SIZE_MAX (1 << 20)
#define ENGINE_NICE (-10)

struct arguments {
	const char *file, *role, *ids, *log;
	int foreground, check, plan, list;
};

static const char usage[] =
	"usage: timesvcd [-f FILE] [--foreground] [--check-config] [-n]\n"
	"       timesvcd --list-options | --version | --help\n"
	"  -f FILE         configuration, " DEFAULT_CONF " unless given\n"
	"  --foreground    stay in the foreground, log to standard error\n"
	"  --check-config  check the configuration and end\n"
	"  -n              print what would be run, check that it could be, and end\n"
	"  --list-options  print every key of the configuration, tab-separated:\n"
	"                  section, key, type, default, range, changes on reload, help\n";

enum { ARG_FOREGROUND = 256, ARG_CHECK, ARG_LIST, ARG_VERSION, ARG_HELP, ARG_ROLE, ARG_IDS, ARG_LOG };

static const struct option long_options[] = {
	{ "foreground", no_argument, NULL, ARG_FOREGROUND },
	{ "check-config", no_argument, NULL, ARG_CHECK },
	{ "list-options", no_argument, NULL, ARG_LIST },
	{ "version", no_argument, NULL, ARG_VERSION },
	{ "help", no_argument, NULL, ARG_HELP },
	/* For timesvcd's own use. */
	{ "role", required_argument, NULL, ARG_ROLE },
	{ "ids", required_argument, NULL, ARG_IDS },
	{ "log", required_argument, NULL, ARG_LOG },
	{ NULL, 0, NULL, 0 }
};

static void take_argument(struct arguments *a, int c)
{
	switch (c) {
	case 'f':
		a->file = optarg;
		break;
	case 'n':
		a->plan = 1;
		break;
	case ARG_FOREGROUND:
		a->foreground = 1;
		break;
	case ARG_CHECK:
		a->check = 1;
		break;
	case ARG_LIST:
		a->list = 1;
		break;
	case ARG_ROLE:
		a->role = optarg;
		break;
	case ARG_IDS:
		a->ids = optarg;
		break;
	case ARG_LOG:
		a->log = optarg;
		break;
	}
}

/* -1 to go on, else the exit status. */
static int read_arguments(struct arguments *a, int argc, char *argv[])
{
	int c;

	while ((c = getopt_long(argc, argv, "f:n", long_options, NULL)) >= 0) {
		if (c == ARG_VERSION) {
			puts("timesvcd " PACKAGE_VERSION);
			return STATUS_OK;
		}
		if (c == ARG_HELP) {
			fputs(usage, stdout);
			return STATUS_OK;
		}
		if (c == '?') {
			fputs(usage, stderr);
			return STATUS_USAGE;
		}
		take_argument(a, c);
	}
	if (optind == argc)
		return -1;
	fprintf(stderr, "timesvcd: unexpected argument '%s'\n%s", argv[optind], usage);
	return STATUS_USAGE;
}

static void open_role_log(const char *name, const char *how)
{
	char text[32];
	enum log_level level = LOG_LEVEL_INFO;
	char *target;

	snprintf(text, sizeof(text), "%s", how ? how : "info:stderr");
	target = strchr(text, ':');
	if (target)
		*target++ = '\0';
	log_level_parse(text, &level);
	log_open(name, level, target && !strcmp(target, "syslog") ? LOG_TO_SYSLOG : LOG_TO_STDERR);
}

static int give_up_root(const char *text, struct err *e)
{
	struct privs_ids ids;
	unsigned uid, gid;

	if (!text)
		return 0;
	if (sscanf(text, "%u:%u", &uid, &gid) != 2)
		return err_set(e, -EINVAL, "no user to become");
	ids.uid = uid;
	ids.gid = gid;
	return privs_drop(&ids, e);
}

static int run_role(const struct arguments *a)
{
	int engine = !strcmp(a->role, "engine"), rc;
	struct err e;

	if (!engine && strcmp(a->role, "front")) {
		fputs(usage, stderr);
		return STATUS_USAGE;
	}
	/* Without the right to it the engine just runs later; late ticks are measured. */
	if (engine)
		(void)!setpriority(PRIO_PROCESS, 0, ENGINE_NICE);
	rc = give_up_root(a->ids, &e);
	open_role_log(engine ? "timesvcd-engine" : "timesvcd-front", a->log);
	if (rc) {
		log_error("%s", e.msg);
		return STATUS_FAILURE;
	}
	/* Neither means anything without the monitor. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (engine)
		rc = engine_run(SPAWN_FIRST_FD, SPAWN_FIRST_FD + 1, SPAWN_FIRST_FD + 2);
	else
		rc = front_run(SPAWN_FIRST_FD + 2, SPAWN_FIRST_FD + 1);
	return rc ? STATUS_FAILURE : STATUS_OK;
}

static enum status complain(enum status status, const struct err *e)
{
	fprintf(stderr, "timesvcd: %s\n", e->msg);
	return status;
}

static enum status lock_status(int rc)
{
	if (rc == -EWOULDBLOCK)
		return STATUS_BUSY;
	return rc == -EACCES || rc == -EPERM || rc == -EROFS ? STATUS_PRIVILEGE : STATUS_FAILURE;
}

struct readiness { int detached, fd; };

static void on_ready(void *arg)
{
	const struct readiness *r = arg;

	notify_send("READY=1");
	if (r->detached)
		detach_ready(r->fd);
}

static enum status run_monitor(struct monitor_start *start, int foreground, struct err *e)
{
	struct readiness ready = { .detached = !foreground };
	enum log_level level = LOG_LEVEL_INFO;
	enum status status;
	int rc;

	if (ready.detached) {
		rc = detach(&ready.fd, e);
		if (rc)
			return rc < 0 ? complain(STATUS_FAILURE, e) : STATUS_OK;
	}
	start->log_target = ready.detached ? LOG_TO_SYSLOG : LOG_TO_STDERR;
	log_level_parse(start->settings->log_level, &level);
	log_open("timesvcd", level, start->log_target);
	start->ready = on_ready;
	start->arg = &ready;
	status = monitor_run(start);
	rundir_release(start->lock);
	return status;
}

static enum status run_daemon(struct monitor_start *start, int foreground)
{
	struct host host;
	struct err e = { 0 };
	enum status status;

	start->lock = rundir_lock(start->settings->run_dir, &e);
	if (start->lock < 0)
		return complain(lock_status(start->lock), &e);
	status = precheck(start->settings, &host, &e);
	start->host = &host;
	if (status)
		complain(status, &e);
	else
		status = run_monitor(start, notify_open() || foreground, &e);
	return status;
}

static enum status print_plan(const struct monitor_start *start)
{
	struct host host;
	struct err e;
	enum status status = precheck(start->settings, &host, &e);

	plan_print(stdout, start->file, start->settings, &host);
	fflush(stdout);
	return status ? complain(status, &e) : STATUS_OK;
}

static enum status run_configured(const struct arguments *a, struct settings *settings)
{
	/* Absolute: it is read again on SIGHUP, from another directory. */
	char *file = realpath(a->file, NULL), *text;
	struct monitor_start start = { .file = file ? file : a->file, .settings = settings };
	struct err e;
	enum status status;

	if (io_read_file(a->file, CONF_SIZE_MAX, &text, &start.len, &e)) {
		free(file);
		return complain(STATUS_CONFIG, &e);
	}
	start.text = text;
	if (settings_parse(settings, a->file, text, start.len, &e))
		status = complain(STATUS_CONFIG, &e);
	else if (a->check)
		status = printf("%s: good\n", a->file) < 0 ? STATUS_FAILURE : STATUS_OK;
	else if (a->plan)
		status = print_plan(&start);
	else
		status = run_daemon(&start, a->foreground);
	free(text);
	free(file);
	return status;
}

int main(int argc, char *argv[])
{
	static struct settings settings;
	struct arguments a = { .file = DEFAULT_CONF };
	int status = read_arguments(&a, argc, argv);

	if (status >= 0)
		return status;
	if (a.list) {
		option_list(stdout);
		return STATUS_OK;
	}
	if (a.role)
		return run_role(&a);
	return run_configured(&a, &settings);
}

/* timesvc-probe: measures round trips and one-way delays while the clocks can be trusted. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include "clock_live.h"
#include "log.h"
#include "options.h"
#include "port.h"
#include "port_kernel.h"
#include "run.h"
#include "timesvc.h"

enum status {
	STATUS_OK = 0, STATUS_FAILED = 1, STATUS_USAGE = 2, STATUS_NO_PORT = 4, STATUS_NO_PRIVILEGE = 5,
	STATUS_NO_ANSWER = 7
};

static volatile sig_atomic_t stop;

static void on_signal(int signal_number)
{
	(void)signal_number;
	stop = 1;
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
}

static enum status status_of_port(int err)
{
	switch (err) {
	case -EINVAL:
	case -E2BIG: return STATUS_USAGE;
	case -EPERM:
	case -EACCES: return STATUS_NO_PRIVILEGE;
	case -ENOMEM: return STATUS_FAILED;
	default: return STATUS_NO_PORT;
	}
}

static enum status probe(const struct options *o, struct err *e)
{
	static const struct port_ops *const backends[] = { &port_dpdk, &port_kernel, NULL };
	enum status status = STATUS_OK;
	struct clock_live *live;
	struct port *port;
	int err;

	if (clock_live_open(&live, o->page, o->clock, e))
		return STATUS_FAILED;
	err = port_open(&port, backends, o->port, o->port_argc, o->port_argv, e);
	if (err) {
		clock_live_close(live);
		return status_of_port(err);
	}
	port->ticks = clock_live_ticks(live);
	err = run_probe(o, port, live, &stop, e);
	if (err)
		status = err == -EHOSTUNREACH ? STATUS_NO_ANSWER : STATUS_FAILED;
	port_close(port);
	clock_live_close(live);
	return status;
}

int main(int argc, char **argv)
{
	struct err e = { 0 };
	struct options o;
	enum status status = STATUS_USAGE;

	log_open("timesvc-probe", LOG_LEVEL_INFO, LOG_TO_STDERR);
	if (!options_parse(&o, argc, argv, &e)) {
		if (o.help || o.version) {
			if (o.help)
				options_usage(stdout);
			else
				printf("timesvc-probe %s\n", tsv_version());
			return STATUS_OK;
		}
		catch_signals();
		status = probe(&o, &e);
	}
	if (status != STATUS_OK)
		log_error("%s", e.msg);
	return status;
}

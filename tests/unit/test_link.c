#define _GNU_SOURCE 1	/* unshare() */
/* In a network namespace of its own, where it may make and break interfaces. Without the
 * right to have one the program skips itself. */
#include "timesvc/sources/link.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <net/if.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <netlink/route/link/bridge.h>
#include <netlink/route/link/veth.h>

enum { NOBODY = 65534 };

static struct nl_sock *admin;

static void make_pair(const char *name, const char *peer)
{
	assert_int_equal(rtnl_link_veth_add(admin, name, peer, getpid()), 0);
}

/* Sets flags and, unless it is NULL, a new name. */
static void change(const char *name, unsigned set, unsigned unset, const char *new_name)
{
	struct rtnl_link *old, *wanted = rtnl_link_alloc();

	assert_non_null(wanted);
	assert_int_equal(rtnl_link_get_kernel(admin, 0, name, &old), 0);
	rtnl_link_set_flags(wanted, set);
	rtnl_link_unset_flags(wanted, unset);
	if (new_name)
		rtnl_link_set_name(wanted, new_name);
	assert_int_equal(rtnl_link_change(admin, old, wanted, 0), 0);
	rtnl_link_put(old);
	rtnl_link_put(wanted);
}

static void set_up_both(const char *a, const char *b)
{
	change(a, IFF_UP, 0, NULL);
	change(b, IFF_UP, 0, NULL);
}

static void destroy(const char *name)
{
	struct rtnl_link *link;

	if (rtnl_link_get_kernel(admin, 0, name, &link) < 0)
		return;
	assert_int_equal(rtnl_link_delete(admin, link), 0);
	rtnl_link_put(link);
}

static int clean_up(void **state)
{
	static const char *const names[] = { "one", "two", "three", "other", "bridge" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		destroy(names[i]);
	return 0;
}

/* Until link_up() says so, at most two seconds. */
static void wait_for(struct link_watch *l, size_t i, int expected)
{
	struct pollfd p = { .fd = link_fd(l), .events = POLLIN };

	while (link_up(l, i) != expected && poll(&p, 1, 2000) > 0)
		assert_true(link_receive(l) >= 0);
	assert_int_equal(link_up(l, i), expected);
}

static struct link_watch *watch(const char *a, const char *b)
{
	const char *names[] = { a, b };
	struct err e = { 0 };
	struct link_watch *l = link_new(names, b ? 2 : 1, &e);

	assert_string_equal(e.msg, "");
	assert_non_null(l);
	return l;
}

static void knows_the_state_at_the_start(void **state)
{
	struct link_watch *l;

	(void)state;
	make_pair("one", "two");
	change("one", IFF_UP, 0, NULL);
	l = watch("one", "absent");
	assert_int_equal(link_up(l, 0), 0);	/* up, but the peer is not: no carrier */
	assert_int_equal(link_up(l, 1), -ENODEV);
	assert_int_equal(link_up(l, 2), -ENODEV);
	assert_int_equal(link_receive(l), 0);
	link_free(l);
	change("two", IFF_UP, 0, NULL);
	l = watch("one", "two");
	wait_for(l, 0, 1);
	wait_for(l, 1, 1);
	link_free(l);
}

static void follows_carrier_and_flags(void **state)
{
	struct link_watch *l;

	(void)state;
	make_pair("one", "two");
	set_up_both("one", "two");
	l = watch("one", NULL);
	wait_for(l, 0, 1);
	change("two", 0, IFF_UP, NULL);		/* the other end of the cable */
	wait_for(l, 0, 0);
	change("two", IFF_UP, 0, NULL);
	wait_for(l, 0, 1);
	change("one", 0, IFF_UP, NULL);
	wait_for(l, 0, 0);
	link_free(l);
}

static void follows_going_and_coming(void **state)
{
	struct link_watch *l;

	(void)state;
	make_pair("one", "two");
	set_up_both("one", "two");
	l = watch("one", NULL);
	wait_for(l, 0, 1);
	destroy("one");
	wait_for(l, 0, -ENODEV);
	make_pair("one", "two");
	wait_for(l, 0, 0);
	set_up_both("one", "two");
	wait_for(l, 0, 1);
	link_free(l);
}

static void follows_renaming(void **state)
{
	struct link_watch *l;

	(void)state;
	make_pair("one", "two");
	l = watch("one", "three");
	assert_int_equal(link_up(l, 0), 0);
	change("one", 0, 0, "three");
	wait_for(l, 0, -ENODEV);
	wait_for(l, 1, 0);
	change("two", 0, 0, "one");	/* another interface under the old name */
	wait_for(l, 0, 0);
	link_free(l);
}

/* A port that leaves a bridge is announced as a deleted link, of the bridge's family. */
static void is_not_misled_by_bridges(void **state)
{
	struct rtnl_link *bridge, *port;
	struct link_watch *l;

	(void)state;
	make_pair("one", "two");
	set_up_both("one", "two");
	if (rtnl_link_bridge_add(admin, "bridge") < 0)
		return;		/* this kernel has none */
	l = watch("one", NULL);
	wait_for(l, 0, 1);
	assert_int_equal(rtnl_link_get_kernel(admin, 0, "bridge", &bridge), 0);
	assert_int_equal(rtnl_link_get_kernel(admin, 0, "one", &port), 0);
	assert_int_equal(rtnl_link_enslave(admin, bridge, port), 0);
	assert_int_equal(rtnl_link_release(admin, port), 0);
	assert_true(link_receive(l) >= 0);
	assert_int_equal(link_up(l, 0), 1);
	rtnl_link_put(bridge);
	rtnl_link_put(port);
	link_free(l);
}

/* More notices than the socket holds: the end is right all the same. */
static void recovers_from_lost_notices(void **state)
{
	struct link_watch *l;

	(void)state;
	make_pair("one", "two");
	set_up_both("one", "two");
	make_pair("three", "other");
	l = watch("one", "three");
	wait_for(l, 0, 1);
	for (int i = 0; i < 200; i++)
		change("two", i & 1 ? IFF_UP : 0, i & 1 ? 0 : IFF_UP, NULL);
	destroy("three");
	change("two", 0, IFF_UP, NULL);
	wait_for(l, 0, 0);
	wait_for(l, 1, -ENODEV);
	link_free(l);
}

static void needs_no_privilege(void **state)
{
	struct link_watch *l;
	uid_t self = geteuid();

	(void)state;
	make_pair("one", "two");
	if (self == 0)
		assert_int_equal(seteuid(NOBODY), 0);
	l = watch("one", NULL);
	if (self == 0)
		assert_int_equal(seteuid(self), 0);
	set_up_both("one", "two");
	wait_for(l, 0, 1);
	link_free(l);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(knows_the_state_at_the_start, clean_up),
		cmocka_unit_test_teardown(follows_carrier_and_flags, clean_up),
		cmocka_unit_test_teardown(follows_going_and_coming, clean_up),
		cmocka_unit_test_teardown(follows_renaming, clean_up),
		cmocka_unit_test_teardown(is_not_misled_by_bridges, clean_up),
		cmocka_unit_test_teardown(recovers_from_lost_notices, clean_up),
		cmocka_unit_test_teardown(needs_no_privilege, clean_up),
	};
	int rc;

	cmocka_set_message_output(CM_OUTPUT_TAP);
	if (unshare(CLONE_NEWNET) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) {
		printf("1..0 # SKIP no right to a network namespace\n");
		return 0;
	}
	admin = nl_socket_alloc();
	if (!admin || nl_connect(admin, NETLINK_ROUTE) < 0)
		return 1;
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	nl_socket_free(admin);
	return rc;
}

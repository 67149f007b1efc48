#include "link.h"

#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rtnetlink.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/route/rtnl.h>
#include <netlink/socket.h>

enum { ANSWER_TIMEOUT_MS = 2000 };

struct watched {
	char name[IFNAMSIZ];
	int index;		/* 0: there is none of that name */
	unsigned flags;
	int seen;		/* in the dump under way */
};

struct link_watch {
	struct nl_sock *sock;
	int dumping, interrupted, changed;
	size_t count;
	struct watched watched[];
};

static int up(const struct watched *w)
{
	const unsigned wanted = IFF_UP | IFF_RUNNING;

	if (w->index == 0)
		return -ENODEV;
	return (w->flags & wanted) == wanted;
}

int link_up(const struct link_watch *l, size_t i)
{
	return i < l->count ? up(&l->watched[i]) : -ENODEV;
}

static void update(struct link_watch *l, struct watched *w, int index, unsigned flags)
{
	int before = up(w), was = w->index;

	w->index = index;
	w->flags = flags;
	if (up(w) != before || index != was)
		l->changed = 1;
}

static void saw_link(struct link_watch *l, const struct ifinfomsg *info, const char *name)
{
	for (size_t i = 0; i < l->count; i++) {
		struct watched *w = &l->watched[i];

		if (strcmp(w->name, name) == 0) {
			update(l, w, info->ifi_index, info->ifi_flags);
			w->seen = 1;
		} else if (w->index == info->ifi_index) {	/* it has another name now */
			update(l, w, 0, 0);
		}
	}
}

static void lost_link(struct link_watch *l, int index)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->watched[i].index == index)
			update(l, &l->watched[i], 0, 0);
}

static int on_message(struct nl_msg *msg, void *arg)
{
	struct link_watch *l = arg;
	struct nlmsghdr *h = nlmsg_hdr(msg);
	struct nlattr *attr[IFLA_MAX + 1];
	const struct ifinfomsg *info;

	if (nlmsg_get_src(msg)->nl_pid != 0)	/* not the kernel */
		return NL_SKIP;
	if (h->nlmsg_type != RTM_NEWLINK && h->nlmsg_type != RTM_DELLINK)
		return NL_SKIP;
	if (nlmsg_parse(h, sizeof(*info), attr, IFLA_MAX, NULL) < 0)
		return NL_SKIP;
	info = nlmsg_data(h);
	if (info->ifi_family != AF_UNSPEC)	/* a bridge's view: its DELLINK is a port leaving */
		return NL_OK;
	if (h->nlmsg_type == RTM_DELLINK)
		lost_link(l, info->ifi_index);
	else if (attr[IFLA_IFNAME])
		saw_link(l, info, nla_get_string(attr[IFLA_IFNAME]));
	return NL_OK;
}

/* The table changed while it was listed: what the dump does not name may exist. */
static int on_interrupted(struct nl_msg *msg, void *arg)
{
	struct link_watch *l = arg;

	(void)msg;
	l->interrupted = 1;
	return NL_OK;
}

static int on_dump_done(struct nl_msg *msg, void *arg)
{
	struct link_watch *l = arg;

	(void)msg;
	l->dumping = 0;
	for (size_t i = 0; i < l->count && !l->interrupted; i++)
		if (!l->watched[i].seen)
			update(l, &l->watched[i], 0, 0);
	return NL_STOP;
}

static int ask(struct link_watch *l)
{
	int rc;

	for (size_t i = 0; i < l->count; i++)
		l->watched[i].seen = 0;
	l->interrupted = 0;
	l->dumping = 1;
	rc = nl_rtgen_request(l->sock, RTM_GETLINK, AF_UNSPEC, NLM_F_DUMP);
	return rc < 0 ? -EIO : 0;
}

/* 1 when there may be more to read, 0 when not, or -errno. */
static int receive_once(struct link_watch *l)
{
	int rc = nl_recvmsgs_default(l->sock);

	if (rc == -NLE_NOMEM || (l->interrupted && !l->dumping)) {	/* NOMEM: notices were lost */
		rc = ask(l);
		return rc < 0 ? rc : 1;
	}
	if (rc == -NLE_AGAIN)
		return 0;
	return rc < 0 ? -EIO : 1;
}

int link_receive(struct link_watch *l)
{
	int rc;

	l->changed = 0;
	do
		rc = receive_once(l);
	while (rc > 0);
	return rc < 0 ? rc : l->changed;
}

static int wait_for_dump(struct link_watch *l, struct err *e)
{
	struct pollfd p = { .fd = nl_socket_get_fd(l->sock), .events = POLLIN };
	int rc = 0;

	while (l->dumping && rc >= 0) {
		if (poll(&p, 1, ANSWER_TIMEOUT_MS) == 0)
			return err_set(e, -ETIMEDOUT, "the kernel does not list its network interfaces");
		rc = link_receive(l);
	}
	return rc < 0 ? err_set(e, rc, "cannot read the list of network interfaces") : 0;
}

static int open_socket(struct link_watch *l, struct err *e)
{
	int rc;

	l->sock = nl_socket_alloc();
	if (!l->sock)
		return err_set(e, -ENOMEM, "out of memory");
	nl_socket_disable_seq_check(l->sock);	/* notices have none */
	nl_socket_modify_cb(l->sock, NL_CB_VALID, NL_CB_CUSTOM, on_message, l);
	nl_socket_modify_cb(l->sock, NL_CB_DUMP_INTR, NL_CB_CUSTOM, on_interrupted, l);
	nl_socket_modify_cb(l->sock, NL_CB_FINISH, NL_CB_CUSTOM, on_dump_done, l);
	rc = nl_connect(l->sock, NETLINK_ROUTE);
	if (rc == 0)
		rc = nl_socket_add_memberships(l->sock, RTNLGRP_LINK, NFNLGRP_NONE);
	if (rc == 0)
		rc = nl_socket_set_nonblocking(l->sock);
	if (rc < 0)
		return err_set(e, -EIO, "cannot watch network interfaces: %s", nl_geterror(rc));
	return 0;
}

struct link_watch *link_new(const char *const *ifnames, size_t n, struct err *e)
{
	struct link_watch *l = calloc(1, sizeof(*l) + n * sizeof(l->watched[0]));

	if (!l) {
		err_set(e, -ENOMEM, "out of memory");
		return NULL;
	}
	l->count = n;
	for (size_t i = 0; i < n; i++)
		strncpy(l->watched[i].name, ifnames[i], IFNAMSIZ - 1);
	if (open_socket(l, e) < 0)
		goto fail;
	if (ask(l) < 0) {
		err_set(e, -EIO, "cannot ask for the list of network interfaces");
		goto fail;
	}
	if (wait_for_dump(l, e) < 0)
		goto fail;
	return l;
fail:
	link_free(l);
	return NULL;
}

void link_free(struct link_watch *l)
{
	if (!l)
		return;
	if (l->sock)
		nl_socket_free(l->sock);
	free(l);
}

int link_fd(const struct link_watch *l)
{
	return nl_socket_get_fd(l->sock);
}

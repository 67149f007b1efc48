#include "ethtool.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <linux/ethtool_netlink.h>
#include <linux/net_tstamp.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#define ANSWER_TIMEOUT_S 2

struct answer {
	struct ethtool_stamping *out;
	int code;		/* 1: none yet */
};

/* The compact form: words of 32 bits. No mask of interest is longer than the first. */
static int first_word(struct nlattr *bitset, uint32_t *word)
{
	struct nlattr *tb[ETHTOOL_A_BITSET_MAX + 1];

	*word = 0;
	if (bitset == NULL)
		return 0;
	if (nla_parse_nested(tb, ETHTOOL_A_BITSET_MAX, bitset, NULL) < 0 ||
	    !tb[ETHTOOL_A_BITSET_VALUE] || nla_len(tb[ETHTOOL_A_BITSET_VALUE]) < (int)sizeof(*word))
		return -EBADMSG;
	memcpy(word, nla_data(tb[ETHTOOL_A_BITSET_VALUE]), sizeof(*word));
	return 0;
}

int ethtool_stamping_parse(const void *attributes, size_t len, struct ethtool_stamping *out)
{
	static const struct nla_policy policy[ETHTOOL_A_TSINFO_MAX + 1] = {
		[ETHTOOL_A_TSINFO_TIMESTAMPING] = { .type = NLA_NESTED },
		[ETHTOOL_A_TSINFO_TX_TYPES] = { .type = NLA_NESTED },
		[ETHTOOL_A_TSINFO_RX_FILTERS] = { .type = NLA_NESTED },
		[ETHTOOL_A_TSINFO_PHC_INDEX] = { .type = NLA_U32 },
	};
	struct nlattr *tb[ETHTOOL_A_TSINFO_MAX + 1];
	struct ethtool_stamping s = { .phc_index = -1 };
	uint32_t index;

	if (len > INT32_MAX ||
	    nla_parse(tb, ETHTOOL_A_TSINFO_MAX, (struct nlattr *)attributes, (int)len,
		(struct nla_policy *)policy) < 0)
		return -EBADMSG;
	if (first_word(tb[ETHTOOL_A_TSINFO_TIMESTAMPING], &s.modes) < 0 ||
	    first_word(tb[ETHTOOL_A_TSINFO_TX_TYPES], &s.tx_types) < 0 ||
	    first_word(tb[ETHTOOL_A_TSINFO_RX_FILTERS], &s.rx_filters) < 0)
		return -EBADMSG;
	index = tb[ETHTOOL_A_TSINFO_PHC_INDEX] ? nla_get_u32(tb[ETHTOOL_A_TSINFO_PHC_INDEX]) : UINT32_MAX;
	if (index <= INT32_MAX)
		s.phc_index = (int)index;
	*out = s;
	return 0;
}

int ethtool_stamps_in_hardware(const struct ethtool_stamping *s)
{
	const uint32_t needed = SOF_TIMESTAMPING_TX_HARDWARE | SOF_TIMESTAMPING_RX_HARDWARE |
		SOF_TIMESTAMPING_RAW_HARDWARE;

	return s->phc_index >= 0 && (s->modes & needed) == needed;
}

static int on_answer(struct nl_msg *msg, void *arg)
{
	struct genlmsghdr *h = nlmsg_data(nlmsg_hdr(msg));
	struct answer *a = arg;

	if (h->cmd == ETHTOOL_MSG_TSINFO_GET_REPLY)
		a->code = ethtool_stamping_parse(genlmsg_attrdata(h, 0), (size_t)genlmsg_attrlen(h, 0),
			a->out);
	return NL_OK;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *error, void *arg)
{
	struct answer *a = arg;

	(void)from;
	a->code = error->error;
	return NL_STOP;
}

static int send_question(struct nl_sock *sock, int family, const char *ifname)
{
	struct nl_msg *msg = nlmsg_alloc();
	struct nlattr *header;
	int rc = -NLE_NOMEM;

	if (msg == NULL)
		return rc;
	if (!genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, 0, ETHTOOL_MSG_TSINFO_GET,
		ETHTOOL_GENL_VERSION))
		goto out;
	header = nla_nest_start(msg, ETHTOOL_A_TSINFO_HEADER | NLA_F_NESTED);
	if (!header || nla_put_string(msg, ETHTOOL_A_HEADER_DEV_NAME, ifname) < 0 ||
	    nla_put_u32(msg, ETHTOOL_A_HEADER_FLAGS, ETHTOOL_FLAG_COMPACT_BITSETS) < 0)
		goto out;
	nla_nest_end(msg, header);
	rc = nl_send_auto(sock, msg);
out:
	nlmsg_free(msg);
	return rc;
}

static int ask(struct nl_sock *sock, const char *ifname, struct answer *a)
{
	struct timeval limit = { .tv_sec = ANSWER_TIMEOUT_S };
	int family, rc;

	if (genl_connect(sock) < 0)
		return -EIO;
	setsockopt(nl_socket_get_fd(sock), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	family = genl_ctrl_resolve(sock, ETHTOOL_GENL_NAME);
	if (family < 0)
		return -EOPNOTSUPP;
	nl_socket_disable_auto_ack(sock);
	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, on_answer, a);
	nl_socket_modify_err_cb(sock, NL_CB_CUSTOM, on_error, a);
	if (send_question(sock, family, ifname) < 0)
		return -EIO;
	rc = nl_recvmsgs_default(sock);
	if (a->code == 1)
		return rc < 0 ? -ETIMEDOUT : -EBADMSG;
	return a->code;
}

int ethtool_stamping(const char *ifname, struct ethtool_stamping *out, struct err *e)
{
	struct nl_sock *sock = nl_socket_alloc();
	struct answer a = { .out = out, .code = 1 };
	int rc;

	if (sock == NULL)
		return err_set(e, -ENOMEM, "out of memory");
	rc = ask(sock, ifname, &a);
	nl_socket_free(sock);
	if (rc == -ENODEV)
		return err_set(e, rc, "there is no network interface %s", ifname);
	if (rc < 0)
		return err_set(e, rc, "cannot ask what %s can stamp: %s", ifname, strerror(-rc));
	return 0;
}

#include "hwstamp.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>

static int ask(int fd, const char *ifname, unsigned long request, void *data)
{
	struct ifreq r = { .ifr_data = data };

	memcpy(r.ifr_name, ifname, strnlen(ifname, sizeof(r.ifr_name) - 1));
	return ioctl(fd, request, &r) ? -errno : 0;
}

static void query_driver(int fd, struct hwstamp *h)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };

	if (!ask(fd, h->ifname, SIOCETHTOOL, &info))
		memcpy(h->driver, info.driver, sizeof(h->driver) - 1);
}

static void query_abilities(int fd, struct hwstamp *h)
{
	struct ethtool_ts_info info = { .cmd = ETHTOOL_GET_TS_INFO };

	if (ask(fd, h->ifname, SIOCETHTOOL, &info))
		return;
	h->modes = info.so_timestamping;
	h->tx_types = info.tx_types;
	h->rx_filters = info.rx_filters;
	h->phc_index = info.phc_index;
}

static void query_config(int fd, struct hwstamp *h)
{
	struct hwtstamp_config config = { 0 };

	if (ask(fd, h->ifname, SIOCGHWTSTAMP, &config))
		return;
	h->tx_type = config.tx_type;
	h->rx_filter = config.rx_filter;
}

_Static_assert(HWSTAMP_NAME == IFNAMSIZ, "names fit");

int hwstamp_query(int fd, const char *ifname, struct hwstamp *out, struct err *e)
{
	*out = (struct hwstamp){ .phc_index = -1, .tx_type = HWTSTAMP_TX_OFF,
				 .rx_filter = HWTSTAMP_FILTER_NONE };
	if (strlen(ifname) >= sizeof(out->ifname) || !if_nametoindex(ifname))
		return err_set(e, -ENODEV, "there is no network interface \"%s\"", ifname);
	strcpy(out->ifname, ifname);
	query_driver(fd, out);
	query_abilities(fd, out);
	query_config(fd, out);
	return 0;
}

int hwstamp_set(int fd, const char *ifname, int tx_type, int rx_filter)
{
	struct hwtstamp_config config = { .tx_type = tx_type, .rx_filter = rx_filter };

	return ask(fd, ifname, SIOCSHWTSTAMP, &config);
}

# What the project needs from the distribution (Debian 12 and later, Ubuntu 22.04 and later), and how to
# get what is missing. Sourced by quickstart, runtests and the system tests.

PACKAGES_RUN="autoconf automake libtool pkg-config gcc libc6-dev make linuxptp dpdk libdpdk-dev
	libevent-dev libmicrohttpd-dev libjansson-dev libnl-3-dev libnl-route-3-dev libnl-genl-3-dev iproute2 jq procps"
PACKAGES_TEST="libcmocka-dev dpkg-dev mandoc nftables python3-scapy clang tshark xz-utils python3 valgrind curl"

# Prints the packages of its arguments that are not installed.
packages_missing() {
	for package in "$@"; do
		case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
		installed) ;;
		*) echo "$package" ;;
		esac
	done
}

# Installs what is missing; ends the script with a sentence when that cannot be done.
packages_install() {
	missing=$(packages_missing "$@" | tr '\n' ' ')
	[ -n "$missing" ] || return 0
	if ! command -v apt-get >/dev/null; then
		echo "needed and not installable here: $missing" >&2
		exit 6
	fi
	if [ "$(id -u)" != 0 ]; then
		echo "needed: $missing; run as root, or first: sudo apt-get install $missing" >&2
		exit 5
	fi
	echo "installing $missing" >&2
	apt-get -qq update >&2 &&
	DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install $missing >&2 || {
		echo "apt-get could not install: $missing" >&2
		exit 6
	}
}

# QEMU, the guest's kernel with its modules, and busybox: from Debian packages, unpacked into
# $RIG_PARTS, never installed. Fetched again when this file changes. Sourced by rig.

RIG_MODULES="9p 9pnet 9pnet_virtio netfs fscache overlay igb dca i2c-algo-bit uio uio_pci_generic vfio
	vfio_iommu_type1 vfio-pci vfio-pci-core irqbypass iommufd veth"

# Sets SUITE, the suite that QEMU and the kernel are taken from, and BASE, the distribution itself.
parts_suite() {
	BASE=$(. /etc/os-release; [ "$ID" = debian ] && echo "$VERSION_CODENAME")
	case $BASE in
	bookworm) SUITE=bookworm-backports ;;
	trixie) SUITE=trixie ;;
	*) echo "the rig needs the packages of Debian 12 or 13, on amd64" >&2; return 1 ;;
	esac
	[ "$(uname -m)" = x86_64 ] || { echo "the rig needs amd64" >&2; return 1; }
}

# The mirror that the system itself uses.
parts_mirror() {
	local mirror
	mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
		awk -v suite="$BASE" '
		/^deb / { sub(/\[[^]]*\] */, ""); if ($3 == suite) print $2 }
		/^URIs:/ { uri = $2 }
		/^Suites:/ { for (i = 2; i <= NF; i++) if ($i == suite) print uri }
	' | head -n 1)
	[ -n "$mirror" ] || { echo "the system has no package archive of $BASE" >&2; return 1; }
	echo "$mirror"
}

# A view of the archive of our own: neither lists nor packages of the system are touched. It does not
# know of a QEMU that may be installed, so that it always fetches one.
parts_apt_view() { # DIR
	mkdir -p "$1"/lists/partial "$1"/archives/partial
	awk -v RS= -v ORS='\n\n' '!/^Package: (qemu-|seabios|ipxe-qemu|busybox)/' /var/lib/dpkg/status >"$1/status"
	cat >"$1/debian.sources" <<-END
		Types: deb
		URIs: $(parts_mirror)
		Suites: $BASE $([ "$SUITE" = "$BASE" ] || echo "$SUITE")
		Components: main
		Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
	END
	cat >"$1/apt.conf" <<-END
		Dir::Etc::sourcelist "$1/debian.sources";
		Dir::Etc::sourceparts "/dev/null";
		Dir::State "$1";
		Dir::State::lists "$1/lists";
		Dir::State::status "$1/status";
		Dir::Cache "$1";
		Dir::Cache::archives "$1/archives";
		APT::Install-Recommends "false";
		Acquire::Languages "none";
		Acquire::Retries "3";
		APT::Sandbox::User "";
	END
}

parts_fetch() { # DIR: of the apt view
	local kernel
	export APT_CONFIG=$1/apt.conf
	apt-get -qq update || return
	kernel=$(apt-cache depends -t "$SUITE" "linux-image-amd64/$SUITE" | awk '/Depends:/ { print $2; exit }')
	[ -n "$kernel" ] || { echo "no kernel in $SUITE" >&2; return 1; }
	apt-get -qq --yes --download-only -t "$SUITE" install qemu-system-x86 &&
		(cd "$1/archives" && apt-get -qq download "$kernel/$SUITE" busybox-static)
}

parts_unpack() { # APT-VIEW DIR
	local deb name wanted=(--wildcards './boot/vmlinuz-*' '*/modules.order' '*/modules.builtin*')
	for name in $RIG_MODULES; do wanted+=("*/$name.ko*"); done
	for deb in "$1"/archives/*.deb; do
		case $deb in
		*/linux-image-*) dpkg --fsys-tarfile "$deb" | tar -x -C "$2" "${wanted[@]}" 2>/dev/null ;;
		*) dpkg --fsys-tarfile "$deb" | tar -x -C "$2" ;;
		esac
	done
	[ -d "$2/lib" ] && cp -a "$2/lib/." "$2/usr/lib/" && rm -r "$2/lib"
	[ -d "$2/bin" ] && cp -a "$2/bin/." "$2/usr/bin/" && rm -r "$2/bin"
	find "$2/usr/lib/modules" -name '*.ko.xz' -print0 | xargs -0 -r xz -d
	"$2/usr/bin/busybox" depmod -b "$2/usr" "$(ls "$2/usr/lib/modules")" 2>/dev/null
	ls "$2"/boot/vmlinuz-* "$2"/usr/bin/qemu-system-x86_64 >/dev/null
}

# The libraries of QEMU that the system lacks are among the parts.
parts_whole() {
	[ -e "$RIG_PARTS/whole" ] &&
		! LD_LIBRARY_PATH=$RIG_PARTS/usr/lib/x86_64-linux-gnu ldd "$RIG_PARTS/usr/bin/qemu-system-x86_64" |
			grep -q 'not found'
}

parts_make() {
	parts_suite || return
	RIG_PARTS=$RIG_CACHE/parts-$SUITE-$(build_hash "$RIG_DIR/parts.sh")
	parts_whole && return
	rm -rf "$RIG_PARTS" "$RIG_CACHE/apt"
	mkdir -p "$RIG_PARTS"
	echo "fetching QEMU and a kernel from $SUITE" >&2
	parts_apt_view "$RIG_CACHE/apt" && (parts_fetch "$RIG_CACHE/apt") &&
		parts_unpack "$RIG_CACHE/apt" "$RIG_PARTS" && touch "$RIG_PARTS/whole" && parts_whole ||
		{ echo "QEMU and a kernel cannot be had from $SUITE" >&2; return 1; }
	rm -rf "$RIG_CACHE/apt"
}

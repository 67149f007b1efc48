# What the rig is made of, kept outside the tree and made again when what it is made from changes. Sourced by rig.
#
#   $RIG_PARTS   QEMU, the guest's kernel and modules, busybox: from Debian packages, unpacked, never installed
#   $RIG_MADE    the shim, the initramfs, the programs for the guest: from this folder

RIG_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/timesvc-rig
RIG_MODULES="9p 9pnet 9pnet_virtio netfs fscache overlay igb dca i2c-algo-bit uio uio_pci_generic vfio
	vfio_iommu_type1 vfio-pci vfio-pci-core irqbypass iommufd veth"

# Sets SUITE, the suite that QEMU and the kernel are taken from, and BASE, the distribution itself.
build_suite() {
	BASE=$(. /etc/os-release; [ "$ID" = debian ] && echo "$VERSION_CODENAME")
	case $BASE in
	bookworm) SUITE=bookworm-backports ;;
	trixie) SUITE=trixie ;;
	*) echo "the rig needs the packages of Debian 12 or 13, on amd64" >&2; return 1 ;;
	esac
	[ "$(uname -m)" = x86_64 ] || { echo "the rig needs amd64" >&2; return 1; }
}

build_hash() { cat "$@" | sha256sum | cut -c1-16; }

# The mirror that the system itself uses.
build_mirror() {
	local mirror
	mirror=$(awk -v suite="$BASE" '
		/^deb / { sub(/\[[^]]*\] */, ""); if ($3 == suite) print $2 }
		/^URIs:/ { uri = $2 }
		/^Suites:/ { for (i = 2; i <= NF; i++) if ($i == suite) print uri }
	' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)
	echo "${mirror:-http://deb.debian.org/debian}"
}

# A view of the archive of our own: neither lists nor packages of the system are touched. It does not know of
# a QEMU that may be installed, so that it always fetches one.
build_apt_view() { # DIR
	mkdir -p "$1"/lists/partial "$1"/archives/partial
	awk -v RS= -v ORS='\n\n' '!/^Package: (qemu-|seabios|ipxe-qemu|busybox)/' /var/lib/dpkg/status >"$1/status"
	cat >"$1/debian.sources" <<-END
		Types: deb
		URIs: $(build_mirror)
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

build_fetch() { # DIR: of the apt view
	local kernel
	export APT_CONFIG=$1/apt.conf
	apt-get -qq update || return
	kernel=$(apt-cache depends -t "$SUITE" "linux-image-amd64/$SUITE" | awk '/Depends:/ { print $2; exit }')
	[ -n "$kernel" ] || { echo "no kernel in $SUITE" >&2; return 1; }
	apt-get -qq --yes --download-only -t "$SUITE" install qemu-system-x86 &&
		(cd "$1/archives" && apt-get -qq download "$kernel/$SUITE" busybox-static)
}

build_unpack() { # APT-VIEW DIR
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
build_parts_whole() {
	[ -e "$RIG_PARTS/whole" ] &&
		! LD_LIBRARY_PATH=$RIG_PARTS/usr/lib/x86_64-linux-gnu ldd "$RIG_PARTS/usr/bin/qemu-system-x86_64" |
			grep -q 'not found'
}

build_parts() {
	build_suite || return
	RIG_PARTS=$RIG_CACHE/parts-$SUITE-$(build_hash "$RIG_DIR/build.sh")
	build_parts_whole && return
	rm -rf "$RIG_CACHE"/parts-* "$RIG_CACHE/apt"
	mkdir -p "$RIG_PARTS"
	echo "fetching QEMU and a kernel from $SUITE" >&2
	build_apt_view "$RIG_CACHE/apt" && (build_fetch "$RIG_CACHE/apt") &&
		build_unpack "$RIG_CACHE/apt" "$RIG_PARTS" && touch "$RIG_PARTS/whole" && build_parts_whole ||
		{ echo "QEMU and a kernel cannot be had from $SUITE" >&2; return 1; }
	rm -rf "$RIG_CACHE/apt"
}

# The initramfs: busybox, and the modules that it takes to reach the host's files.
build_initramfs() { # FILE
	local root module version
	root=$(mktemp -d) && version=$(ls "$RIG_PARTS/usr/lib/modules")
	mkdir -p "$root"/{bin,dev,proc,sys,modules}
	cp "$RIG_PARTS/usr/bin/busybox" "$root/bin/" && ln -s busybox "$root/bin/sh"
	for module in netfs 9pnet 9pnet_virtio 9p overlay; do
		find "$RIG_PARTS/usr/lib/modules/$version" -name "$module.ko" -exec cp {} "$root/modules/" \;
	done
	cp "$RIG_DIR/guest/init" "$root/init" && chmod 755 "$root/init"
	(cd "$root" && find . | "$RIG_PARTS/usr/bin/busybox" cpio -o -H newc >"$1" 2>/dev/null)
	rm -rf "$root"
}

build_made() {
	local flags="-std=gnu11 -O2 -Wall -Wextra -Wshadow -Wmissing-prototypes"
	RIG_MADE=$RIG_CACHE/made-$(build_hash "$RIG_DIR"/build.sh "$RIG_DIR"/device.h "$RIG_DIR"/shim/* "$RIG_DIR"/guest/* \
		<(echo "$RIG_PARTS"))
	[ -e "$RIG_MADE/whole" ] && return
	rm -rf "$RIG_CACHE"/made-*
	mkdir -p "$RIG_MADE"
	build_initramfs "$RIG_MADE/initramfs" &&
		cc $flags -shared -fPIC -o "$RIG_MADE/shim.so" "$RIG_DIR"/shim/*.c -ldl &&
		cc $flags -o "$RIG_MADE/rigctl" "$RIG_DIR"/guest/{rigctl,truth}.c &&
		cp "$RIG_PARTS"/boot/vmlinuz-* "$RIG_MADE/vmlinuz" && touch "$RIG_MADE/whole"
}

build_all() {
	mkdir -p "$RIG_CACHE"
	exec 9>"$RIG_CACHE/lock"
	flock 9
	build_parts && build_made
	local status=$?
	exec 9>&-
	return $status
}

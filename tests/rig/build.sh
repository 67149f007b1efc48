# What the rig is made of, kept outside the tree and made again when what it is made from changes:
# $RIG_PARTS (parts.sh), and $RIG_MADE: the shim, the initramfs, the programs for the guest. Sourced by rig.

RIG_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/timesvc-rig
RIG_CFLAGS="-std=gnu11 -O2 -Wall -Wextra -Wshadow -Wmissing-prototypes"

build_hash() { cat "$@" | sha256sum | cut -c1-16; }

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
	RIG_MADE=$RIG_CACHE/made-$(build_hash <(echo "$RIG_PARTS") "$RIG_DIR"/{build.sh,device.h} \
		"$RIG_DIR"/{shim,guest}/*)
	[ -e "$RIG_MADE/whole" ] && return
	mkdir -p "$RIG_MADE"
	build_initramfs "$RIG_MADE/initramfs" &&
		cc $RIG_CFLAGS -shared -fPIC -o "$RIG_MADE/shim.so" "$RIG_DIR"/shim/*.c -ldl &&
		cc $RIG_CFLAGS -o "$RIG_MADE/rigctl" "$RIG_DIR"/guest/{rigctl,truth}.c &&
		cp "$RIG_PARTS"/boot/vmlinuz-* "$RIG_MADE/vmlinuz" && touch "$RIG_MADE/whole"
}

# The one program that is linked with what is under test.
build_watch() { # FILE
	cc $RIG_CFLAGS -I"$RIG_STAGE/include" -o "$1" "$RIG_DIR"/guest/{rigwatch,truth}.c \
		-L"$RIG_STAGE/lib" -Wl,-rpath,"$RIG_STAGE/lib" -ltimesvc
}

# DPDK's driver of igb with transmit stamps, which distributions leave out. Without it the scenarios that
# need it are skipped.
build_pmd() {
	local dir
	RIG_PMD=
	pkg-config --exists libdpdk || return 0
	dir=$RIG_CACHE/pmd-$(build_hash "$RIG_TOP/tools/build-pmd" <(pkg-config --modversion libdpdk))
	[ -e "$dir/pmd.so" ] ||
		"$RIG_TOP/tools/build-pmd" --cache "$RIG_CACHE/dpdk" --output "$dir/pmd.so" >"$RIG_CACHE/pmd.log" 2>&1 ||
		{ tail -n 1 "$RIG_CACHE/pmd.log" >&2; return 0; }
	RIG_PMD=$dir/pmd.so
	touch "$dir"
}

# Ends the script with 77 when there can be no rig here.
build_all() {
	mkdir -p "$RIG_CACHE"
	exec 9>"$RIG_CACHE/lock"
	flock 9
	parts_make || exit 77
	build_made && build_pmd
	local status=$?
	touch "$RIG_PARTS" "$RIG_MADE"
	# What no tree has used for a week.
	find "$RIG_CACHE" -maxdepth 1 -type d -name '*-*' -mtime +7 -exec rm -rf {} +
	exec 9>&-
	return $status
}

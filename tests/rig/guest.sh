# One guest: its command line, its boot, what it says. Sourced by rig.

RIG_MEMORY=${RIG_MEMORY:-2048}

# The NICs of a topology: each behind its own root port, each cable a hub.
guest_nics() { # TOPOLOGY
	local nic cable keys
	awk -f "$RIG_DIR/topology.awk" "$1" >"$RUN/nics" || return
	while read -r nic cable keys; do
		echo "-netdev hubport,id=port$nic,hubid=$cable"
		echo "-device pcie-root-port,id=slot$nic,chassis=$nic,slot=$nic"
		echo "-device igb,id=nic$nic,bus=slot$nic,netdev=port$nic,mac=52:54:00:00:00:0$nic"
	done <"$RUN/nics"
}

# QEMU as it was unpacked.
guest_qemu() {
	local lib=$RIG_PARTS/usr/lib/x86_64-linux-gnu
	QEMU=(env "LD_LIBRARY_PATH=$lib" "QEMU_MODULE_DIR=$lib/qemu" "$RIG_PARTS/usr/bin/qemu-system-x86_64")
}

# How the guest's time passes.
guest_time() { # counted|real
	case $1 in
	# By instructions, 2 ns for each, and idle time is skipped: what else the machine does cannot be seen.
	counted) TIME=(-accel tcg,thread=single -icount shift=1,sleep=off -smp 1) ;;
	# With the machine's own time, and two processors that run at once.
	real) TIME=(-accel tcg,thread=multi -smp 2) ;;
	esac
}

# Boots, and returns when the guest is off. Its console is standard output.
guest_boot() { # TOPOLOGY counted|real SECONDS
	local topology=$1 seconds=$3 nics
	guest_time "$2"
	nics=$(guest_nics "$topology") || return
	guest_qemu
	# One guest at a time: they need the machine.
	exec 8>"$RIG_CACHE/guest.lock"
	flock -n 8 || { echo "# waiting for another guest to end" >&2; flock 8; }
	cat >"$RUN/settings" <<-END
		RIG_DIR='$RIG_DIR' RIG_TOP='$RIG_TOP' RIG_STAGE='$RIG_STAGE' RIG_MADE='$RIG_MADE' RIG_PARTS='$RIG_PARTS'
		RIG_PMD='$RIG_PMD' RIG_RUN='${RIG_RUN:-}' RIG_SHELL='${RIG_SHELL:-}'
	END
	timeout --foreground -k 5 "$seconds" env LD_PRELOAD="$RIG_MADE/shim.so" RIG_TRUTH="$RUN/truth.jsonl" \
		RIG_TOPOLOGY="$(awk '{ print $1 ":" $3 }' "$RUN/nics" | tr '\n' ' ')" "${QEMU[@]}" -L "$RIG_PARTS/usr/share/qemu" \
		-L "$RIG_PARTS/usr/share/seabios" "${TIME[@]}" -cpu max -m "$RIG_MEMORY" \
		-M q35,kernel-irqchip=split -device intel-iommu,intremap=on,caching-mode=on -device edu \
		-display none -nodefaults -no-reboot -serial stdio \
		-kernel "$RIG_MADE/vmlinuz" -initrd "$RIG_MADE/initramfs" \
		-append "console=ttyS0 quiet loglevel=2 panic=-1 nokaslr mitigations=off tsc=reliable intel_iommu=on iommu=pt iomem=relaxed" \
		-fsdev local,id=root,path=/,security_model=none,readonly=on,multidevs=remap \
		-device virtio-9p-pci,fsdev=root,mount_tag=root \
		-fsdev local,id=rig,path="$RUN",security_model=none,multidevs=remap \
		-device virtio-9p-pci,fsdev=rig,mount_tag=rig $nics 2>"$RUN/qemu.log"
	exec 8>&-
}

guest_shell() { # TOPOLOGY
	RUN=$(mktemp -d)
	trap 'rm -rf "$RUN"' EXIT
	RIG_SHELL=1
	build_watch "$RUN/rigwatch"
	guest_boot "$RIG_DIR/$1" real 86400
}

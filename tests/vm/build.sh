#!/usr/bin/env bash
# Makes the disk of the virtual Pi in DIR: kernel, initrd.img, disk.img.   build.sh DIR CONSTRAINTS REQUIREMENT...
# Needs root on Debian bookworm, x86-64. Whatever cannot be fetched ends it with code 77.
set -euo pipefail
python=$PYTHON
here=$PWD
cd "$1"
constraints=$2
shift 2
root=$PWD/root

fetched() { "$@" >>fetch.log 2>&1 || { tail -n 5 fetch.log >&2; echo "cannot be fetched: $*" >&2; exit 77; }; }

export DEBIAN_FRONTEND=noninteractive
fetched apt-get update
fetched apt-get install -y --no-install-recommends qemu-system-x86 mmdebstrap e2fsprogs xz-utils make gcc linux-source-6.1
# The standard kernel: Debian's cloud kernel has no display drivers.
kernel=$(apt-cache depends linux-image-amd64 | sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p' | head -n 1)
version=${kernel#linux-image-}
fetched apt-get install -y --no-install-recommends "linux-headers-$version"

# Simulated lines. Debian leaves this driver out, and does not export one function that it calls.
mkdir -p module
tar -C module -xJf /usr/src/linux-source-6.1.tar.xz --strip-components=3 --wildcards \
    '*/drivers/gpio/gpio-sim.c' '*/drivers/gpio/gpiolib.h' '*/kernel/irq/irq_sim.c'
sed -i 's/handle_simple_irq(irq_to_desc(irqnum));/generic_handle_irq(irqnum);/' module/irq_sim.c
cat >module/Makefile <<'MAKE'
obj-m := simulated-lines.o
simulated-lines-y := gpio-sim.o irq_sim.o
MAKE
make -s -C "/usr/src/linux-headers-$version" M="$PWD/module" modules

packages=(
    systemd systemd-sysv udev dbus kmod iproute2 initramfs-tools zstd "$kernel"
    python3 python3-venv
    libdrm2 libgbm1 libegl1 libgles2 libgl1-mesa-dri libudev1 libasound2  # what SDL opens by name
)
fetched mmdebstrap --variant=minbase --mode=root --include="$(IFS=,; echo "${packages[*]}")" bookworm "$root"
# Emulated, every driver that is not needed takes its time.
echo MODULES=list >"$root/etc/initramfs-tools/conf.d/few"
printf '%s\n' virtio_pci virtio_blk ext4 >>"$root/etc/initramfs-tools/modules"
chroot "$root" update-initramfs -u >>fetch.log 2>&1
printf 'blacklist %s\n' kvm kvm_amd kvm_intel powernow_k8 parport_pc ppdev pcspkr cryptd aesni_intel \
    ghash_clmulni_intel sha512_ssse3 crc32_pclmul crct10dif_pclmul polyval_clmulni >"$root/etc/modprobe.d/few.conf"
install -m 644 module/simulated-lines.ko "$root/lib/modules/$version/"
depmod -b "$root" "$version"
# For the guest's Python, whichever runs here. The wheels stay: the guest installs from them, without a network.
fetched "$python" -m pip download --python-version 3.11 --only-binary=:all: -d "$root/opt/wheels" -c "$constraints" "$@"
"$python" -m pip install -q --python-version 3.11 --only-binary=:all: --no-index --find-links "$root/opt/wheels" \
    --target "$root/opt/site" -c "$constraints" "$@"
install -m 644 "$here/trial.service" "$here/header.service" "$root/etc/systemd/system/"
install -m 644 "$here/guest/header.sh" "$root/usr/local/lib/"
mkdir -p "$root/var/log/journal"  # what was logged before a reset is there after it
chroot "$root" systemctl -q enable trial.service header.service
chroot "$root" systemctl -q mask e2scrub_reap.service e2scrub_all.timer fstrim.timer dpkg-db-backup.timer

cp "$root/boot/vmlinuz-$version" kernel
cp "$root/boot/initrd.img-$version" initrd.img
truncate -s 3G disk.img
mkfs.ext4 -q -F -L root -d "$root" disk.img
rm -rf "$root" module

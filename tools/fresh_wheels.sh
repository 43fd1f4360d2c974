#!/bin/bash
# usage: tools/fresh_wheels.sh RELEASE [ARCH] [FOLDER]
#
# Installs the wheels of BENZER_WHEELS (default: build/wheel/dist) in a fresh, minimal Debian (bookworm, trixie), which
# has Python but no compiler and none of our libraries, and runs what a first user runs. If ./dev wheel has left the
# answers of this machine in build/log/answers.txt, the wheel has to give the same ones. Needs root, network and
# debootstrap.
#
# ARCH is x86_64 or aarch64 (default: that of this machine). aarch64 on x86_64 is emulated, a whole machine with the
# kernel of Debian, since the decoder of images needs one (seccomp). That takes ten minutes, 3 GB of memory, and the
# packages cpio, qemu-system-arm and qemu-user-static; the last one installs the system.
# FOLDER keeps the system for the next time (default: build/fresh-RELEASE-ARCH).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/fresh_system.sh
release=${1:?usage: tools/fresh_wheels.sh RELEASE [ARCH] [FOLDER]}
arch=${2:-$(uname -m)}
folder=${3:-build/fresh-$release-$arch}
data=${BENZER_DATA:-../shared/data}
wheels=${BENZER_WHEELS:-build/wheel/dist}

# Starts a machine whose only file system is the folder, in memory, and runs the command in it. Prints what it prints.
in_machine() {
  local kernel=$folder.kernel
  if ! ls "$kernel"/boot/vmlinuz-* > /dev/null 2>&1; then
    # shellcheck disable=SC2016
    chroot "$folder" sh -c 'cd /tmp && apt-get -q download "$(apt-cache depends linux-image-arm64 | sed -n "s/.*Depends: //p" | head -n 1)"' >&2
    dpkg-deb -x "$folder"/tmp/linux-image-*.deb "$kernel"
    rm "$folder"/tmp/linux-image-*.deb
  fi
  printf '%s\n' '#!/bin/sh' 'export HOME=/root PATH=/try/bin:/usr/bin:/bin' 'mount -t proc proc /proc' 'mount -t sysfs sys /sys' \
    'mount -t devtmpfs dev /dev' 'mount -t tmpfs tmp /tmp' "$*" 'echo o > /proc/sysrq-trigger' 'sleep 60' > "$folder/first.sh"
  chmod +x "$folder/first.sh"
  (cd "$folder" && find . -xdev -not -path './var/*' -not -path './proc/*' -not -path './tmp/*' | cpio -o -H newc --quiet) > "$folder.cpio"
  qemu-system-aarch64 -M virt -cpu cortex-a72 -m 3072 -nographic -no-reboot -nic none -kernel "$kernel"/boot/vmlinuz-* \
    -initrd "$folder.cpio" -append "rdinit=/first.sh console=ttyAMA0 panic=1 quiet" < /dev/null | tr -d '\r'
  rm "$folder.cpio"
}
if [[ $arch != "$(uname -m)" ]]; then emulate "$arch"; fi

make_system "$release" "$arch" "$folder" python3 python3-venv zstd
rm -rf "$folder/wheels" "$folder/try"
mkdir "$folder/wheels"
cp "$wheels"/*.whl python/tests/{first_use,answers}.py "$folder/wheels"
inside "$folder" python3 -m venv /try
begin=$(date +%s.%N)
inside "$folder" env PATH=/try/bin:/usr/bin pip install -q --no-index --find-links /wheels benzer
echo "$release $arch: pip install $(awk "BEGIN { printf \"%.1f\", $(date +%s.%N) - $begin }") s"

mkdir -p "$folder/data/images"
if [[ -e $data/udhr ]]; then
  cp -r "$data"/{udhr,manpages} "$folder/data"
  cp -r "$data/images/originals" "$folder/data/images"
fi
log=build/log/try-$release-$arch.log
try='python /wheels/first_use.py && test ! -e /data/udhr || python -u /wheels/answers.py /data'
if [[ $arch == "$(uname -m)" ]]; then inside "$folder" env PATH=/try/bin:/usr/bin sh -c "$try"; else in_machine "$try"; fi > "$log" 2>&1 || true
grep -qx '1 passed, 0 failed' "$log" || { cat "$log" >&2; exit 1; }
grep '^Python' "$log"
if [[ ! -e build/log/answers.txt || ! -e $data/udhr ]]; then
  echo "SKIPPED: no answers to compare with; ./dev test python, ./dev wheel and the larger data sets bring them"
  exit
fi
diff build/log/answers.txt <(grep -xE '[0-9a-f]{32} .*' "$log")
echo "$release $arch: all $(wc -l < build/log/answers.txt) answers are those of this machine"

# Makes fresh, minimal systems of Debian and runs commands in them; the tools/fresh_*.sh source this file.

declare -A debian_names=([x86_64]=amd64 [aarch64]=arm64)

fail() { echo "$(basename "$0"): $*" >&2; exit 1; }

ubuntu_script=/usr/share/debootstrap/scripts/gutsy
ubuntu_mirror=$(sed -n 's/.*default_mirror *//p' "$ubuntu_script" 2> /dev/null | sed -n 2p)

# fetch_ubuntu_keys FOLDER: unpacks the keys with which Ubuntu signs its packages. Debian 12 has no package of them.
fetch_ubuntu_keys() {
  local package=ubuntu-keyring_2023.11.28.1_all.deb
  mkdir -p "$1"
  curl -sSf -o "$1/$package" "$ubuntu_mirror/pool/main/u/ubuntu-keyring/$package"
  sha256sum --quiet -c <<< "36de43b15853ccae0028e9a767613770c704833f82586f28eb262f0311adb8a8  $1/$package"
  dpkg-deb -x "$1/$package" "$1"
}

# make_system RELEASE ARCH FOLDER PACKAGE...: makes the system with these packages, unless the folder has it. RELEASE is
# bookworm, trixie or noble (Ubuntu 24.04). Needs root, network, debootstrap.
make_system() {
  local release=$1 arch=$2 folder=$3 log=build/log/fresh-$1-$2.log packages debootstrap
  shift 3
  [[ -n ${debian_names[$arch]:-} ]] || fail "the architecture $arch is unknown; x86_64 and aarch64 are known"
  if [[ -e $folder/ready ]]; then return; fi
  packages=$(IFS=,; echo "$*")
  debootstrap=(debootstrap "--arch=${debian_names[$arch]}" --variant=minbase ${packages:+"--include=$packages"})
  if [[ $release == noble ]]; then
    fetch_ubuntu_keys "$folder.keys"
    # Older ones of debootstrap do not know the name, but how such a release is made, and from where.
    debootstrap+=("--components=main,universe" "--keyring=$folder.keys/usr/share/keyrings/ubuntu-archive-keyring.gpg" noble "$folder"
      "$ubuntu_mirror" "$ubuntu_script")
  else
    debootstrap+=("$release" "$folder" "$(sed -n 's/^URIs: *//p;q' <(grep -h ^URIs: /etc/apt/sources.list.d/debian.sources))")
  fi
  rm -rf "$folder"
  mkdir -p build/log
  "${debootstrap[@]}" > "$log" 2>&1 || { tail -n 5 "$log" >&2; fail "debootstrap could not make $folder"; }
  if [[ $release == noble ]]; then
    sed 's/ noble / noble-updates /' "$folder/etc/apt/sources.list" > "$folder/etc/apt/sources.list.d/updates.list"
  fi
  printf '127.0.0.1 localhost %s\n' "$(hostname)" > "$folder/etc/hosts"  # Java asks for the address of its own machine
  touch "$folder/ready"
}

# inside FOLDER COMMAND...: runs a command in the system, as root, with process numbers, /proc, /sys and /dev that go
# away with it. Set BIND to OUTER:INNER to show a folder of this machine inside, which cannot be written there.
inside() {
  local folder=$1
  shift
  # shellcheck disable=SC2016
  BIND=${BIND:-} unshare --mount --pid --fork --kill-child sh -ec '
    mount -t proc proc "$0/proc"
    mount --rbind /sys "$0/sys"
    mount --rbind /dev "$0/dev"
    if [ -n "$BIND" ]; then
      mkdir -p "$0${BIND#*:}"
      mount --bind "${BIND%%:*}" "$0${BIND#*:}"
      mount -o remount,bind,ro "$0${BIND#*:}"
    fi
    exec chroot "$0" env -i HOME=/root DEBIAN_FRONTEND=noninteractive PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"' \
    "$folder" "$@"
}

# emulate ARCH: lets the kernel run programs of the other architecture by the emulator, also inside.
emulate() {
  local formats=/proc/sys/fs/binfmt_misc
  [[ -e $formats/register ]] || mount -t binfmt_misc binfmt_misc "$formats"
  if [[ -e $formats/qemu-$1 ]]; then return; fi
  [[ -e /usr/lib/binfmt.d/qemu-$1.conf ]] || fail "install qemu-user-static first"
  cat "/usr/lib/binfmt.d/qemu-$1.conf" > "$formats/register"
}

# bring_sources FOLDER: brings the last commit to src/main in the system, with what was built there before, and shows the
# larger data sets beside it.
bring_sources() {
  mkdir -p "$1/src"
  if [[ -e $1/src/main ]]; then
    git push -q --force "$1/src/main" HEAD:refs/heads/fresh
    git -C "$1/src/main" reset -q --hard fresh
  else
    git clone -q . "$1/src/main"
    git -C "$1/src/main" switch -q -C trial
  fi
  if [[ -e ../shared/data ]]; then export BIND=$PWD/../shared:/src/shared; fi
}

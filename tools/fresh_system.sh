# Makes fresh, minimal systems of Debian and runs commands in them; the tools/fresh_*.sh source this file.

declare -A debian_names=([x86_64]=amd64 [aarch64]=arm64)

fail() { echo "$(basename "$0"): $*" >&2; exit 1; }

# make_system RELEASE ARCH FOLDER PACKAGE...: makes the system with these packages, unless the folder has it. Needs
# root, network and debootstrap.
make_system() {
  local release=$1 arch=$2 folder=$3 mirror log=build/log/fresh-$1-$2.log packages
  shift 3
  [[ -n ${debian_names[$arch]:-} ]] || fail "the architecture $arch is unknown; x86_64 and aarch64 are known"
  if [[ -e $folder/ready ]]; then return; fi
  packages=$(IFS=,; echo "$*")
  mirror=$(sed -n 's/^URIs: *//p;q' <(grep -h ^URIs: /etc/apt/sources.list.d/debian.sources))
  rm -rf "$folder"
  mkdir -p build/log
  debootstrap --arch="${debian_names[$arch]}" --variant=minbase ${packages:+--include="$packages"} "$release" "$folder" "$mirror" \
    > "$log" 2>&1 || { tail -n 5 "$log" >&2; fail "debootstrap could not make $folder"; }
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

#!/bin/bash
# usage: tools/fresh_debian.sh RELEASE [FOLDER]
#
# Installs the wheels of build/wheel/dist in a fresh, minimal Debian (bookworm, trixie), which has Python but no
# compiler and none of our libraries, and runs what a first user runs. Needs root, network and debootstrap.
# FOLDER keeps the system for the next time (default: build/fresh-RELEASE).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
release=${1:?usage: tools/fresh_debian.sh RELEASE [FOLDER]}
folder=${2:-build/fresh-$release}

mirror=$(sed -n 's/^URIs: *//p;q' <(grep -h ^URIs: /etc/apt/sources.list.d/debian.sources))
if [[ ! -e $folder/ready ]]; then
  rm -rf "$folder"
  mkdir -p build/log
  debootstrap --variant=minbase --include=python3,python3-venv "$release" "$folder" "$mirror" > "build/log/fresh-$release.log" 2>&1 ||
    { tail -n 5 "build/log/fresh-$release.log" >&2; exit 1; }
  touch "$folder/ready"
fi

rm -rf "$folder/wheels" "$folder/try"
mkdir "$folder/wheels"
cp build/wheel/dist/*.whl python/tests/first_use.py "$folder/wheels"
# With a /proc of its own, which goes away with the command.
inside() {
  # shellcheck disable=SC2016
  unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" env -i HOME=/root PATH=/try/bin:/usr/bin "$@"' \
    "$folder" "$@"
}
inside python3 -m venv /try
begin=$(date +%s.%N)
inside pip install -q --no-index --find-links /wheels benzer
installed=$(date +%s.%N)
inside python /wheels/first_use.py
end=$(date +%s.%N)
awk "BEGIN { printf \"$release: pip install %.1f s, first use %.1f s\n\", $installed - $begin, $end - $installed }"

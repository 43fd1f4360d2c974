#!/bin/bash
# usage: tools/fresh_arm64.sh [RELEASE]
#
# Builds the library, the program and the unit tests for ARM64 in a fresh, minimal Debian (default: bookworm) of x86-64,
# with its cross compiler and its libraries for arm64, and runs them by user-mode emulation: unit tests, golden vectors,
# command cases, and an index that each of the two processors opens after the other. What the emulator cannot do is left
# out: it knows no seccomp, so there are no images. Needs root, network, debootstrap and qemu-user-static; an hour and a
# half. The system stays in build/fresh-arm64-RELEASE.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/fresh_system.sh
release=${1:-bookworm}
folder=build/fresh-arm64-$release
mkdir -p build/log
log=build/log/fresh-arm64-$release.log
try() { inside "$folder" sh -ec "$1" >> "$log" 2>&1 || { tail -n 20 "$log" >&2; fail "$2"; }; }

make_system "$release" x86_64 "$folder" ca-certificates git
emulate aarch64
: > "$log"
# Programs for this processor, libraries for the other one.
here=(ninja-build cmake pkg-config g++-aarch64-linux-gnu qemu-user-static python3 python3-xxhash python3-regex procps libicu-dev
  libstdc++6:arm64)
there=()
while read -r group package; do
  if [[ $group == build && $package == lib* ]] || [[ $package =~ ^lib(gtest|gmock|rapidcheck)-dev$ ]]; then there+=("$package"); fi
done < tools/apt-packages.txt
# Headers alone are a package for all processors.
try "dpkg --add-architecture arm64
  apt-get -q update
  for package in ${there[*]}; do
    if apt-cache show \$package:arm64 > /dev/null 2>&1; then package=\$package:arm64; fi
    packages=\"\$packages \$package\"
  done
  apt-get -q install -y --no-install-recommends ${here[*]} \$packages" "apt could not install the cross compiler and the libraries"

rm -rf "$folder/src"
mkdir -p "$folder/src"
git clone -q . "$folder/src/main"
if [[ -e ../shared/data ]]; then export BIND=$PWD/../shared:/src/shared; fi
try 'cd /src/main && cmake -G Ninja -S . -B build/release --toolchain cmake/aarch64-linux-gnu.cmake -DCMAKE_BUILD_TYPE=Release \
  -DBENZER_UNITY=ON -DBENZER_PAGE=OFF -DBENZER_EXAMPLES=OFF && cmake --build build/release -t benzer_cli benzer_tests' "it could not be built for ARM64"

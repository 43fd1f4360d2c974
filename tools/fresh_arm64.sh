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
here=(ninja-build cmake pkg-config g++-aarch64-linux-gnu qemu-user-static python3 python3-xxhash python3-regex zstd libicu-dev libstemmer0d
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

bring_sources "$folder"
try 'cd /src/main && cmake -G Ninja -S . -B build/release --toolchain cmake/aarch64-linux-gnu.cmake -DCMAKE_BUILD_TYPE=Release \
  -DBENZER_UNITY=ON -DBENZER_PAGE=OFF -DBENZER_EXAMPLES=OFF && cmake --build build/release -t benzer_cli benzer_tests' "it could not be built for ARM64"

# Left out are pictures, which are decoded in a child behind seccomp; pages that cannot be read, of which the emulator
# makes no signal; and what takes minutes on any processor.
left_out='*Image*:*Picture*:*Unreadable*:*BusError*:*DiskStoreCrash.*:*DiskStoreFaults.*:RepairTest.NoDamage*:RepairCrash.*'
left_out+=':EditedTexts.*:CourseStatistics.*:CourseExperiments.*:*Experiment.*:VisualWords.AreTheSame*:SiftDedup.*'
try "cd /src/main
  export BENZER_DATA=/src/shared/data
  bash -ec 'source tools/tests.sh; unit build/release --gtest_filter=-$left_out'" "a unit test fails on ARM64"
echo "arm64: $(grep -E '^\[  PASSED  \] [0-9]+' "$log" | awk '{ sum += $4 } END { print sum }') unit tests passed, golden vectors among them"
try 'cd /src/main && python3 tests/golden/golden_test.py' "the golden vectors differ"

# The program for this processor comes from the archive, so that compilers differ, too.
archive=build/archive/benzer-$(sed -n 's/^project(benzer VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)-linux-x86_64.tar.zst
[[ -e $archive ]] || { echo "SKIPPED: $archive is not there to compare with; ./dev archive makes it"; exit; }
tar -C "$folder/opt" -xf "$archive"
# shellcheck disable=SC2016
try 'cd /src/main
  docs=/src/shared/data/udhr/udhr.jsonl.zst
  test -e $docs || docs=""
  tools/exchange.sh "$(echo /opt/benzer-*/bin/benzer)" build/release/benzer $docs' "ARM64 and x86-64 give different results"
echo "arm64: runs, signatures and answers are those of x86-64, and each goes on with the index of the other"

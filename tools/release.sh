# Makes what a release has; ./dev sources this file.

# version: that of the sources, which CMakeLists.txt has.
version() { sed -n 's/^project(benzer VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt; }

# make_archive: writes build/archive/benzer-VERSION-linux-ARCH.tar.zst with its checksum and the list of its parts. It
# has the program with all libraries but the C library, of which it needs 2.28, man pages, completions and licences. The
# same commit gives the same bytes. BENZER_ARCH=aarch64 makes it for that architecture.
make_archive() {
  local arch=${BENZER_ARCH:-$(uname -m)} name
  name=benzer-$(version)-linux-$arch
  local tree=build/archive/tree-$arch folder=build/archive/$name log=build/log/archive-$arch.log
  make_parts "$arch"
  mkdir -p build/archive build/log
  rm -rf "${folder:?}"*
  cmake -G Ninja -S . -B "$tree" --toolchain "$root/build/static/$arch/toolchain.cmake" -DCMAKE_BUILD_TYPE=Release \
    -DBENZER_{TESTS,EXAMPLES}=OFF -DBENZER_UNITY=ON -DBENZER_STATIC_DECODER=ON "-DBENZER_PARTS=$root/build/static/$arch/parts" \
    "-DBENZER_BUILT_PAGE=$root/build/static/page/dist" \
    > "$log" 2>&1 || { cat "$log" >&2; die "cmake could not configure $tree"; }
  if grep 'benzer: without' "$log" >&2; then die "the archive must have all of the program"; fi
  cmake --build "$tree" -j "$(nproc)" -t benzer_cli
  cmake --install "$tree" --component program --prefix "$folder" > "$log"
  cp -r LICENSE CHANGELOG.md packaging/container "$folder/share/doc/benzer"
  cp "$folder/share/doc/benzer/parts.cdx.json" "$folder.cdx.json"
  check_program "$folder/bin/benzer"
  tar -C build/archive --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime="@$(git log -1 --format=%ct)" \
    --format=gnu -cf - "$name" | zstd -q -19 -o "$folder.tar.zst"
  (cd build/archive && sha256sum "$name.tar.zst" > "$name.tar.zst.sha256")
  rm -r "$folder"
  find build/archive -maxdepth 1 -name "$name*" | sort
}

# check_program FILE: whether the program needs no other library than the C library, and no newer one than 2.28.
check_program() {
  local newest others
  others=$(objdump -p "$1" | sed -n 's/^ *NEEDED *//p' | grep -vE '^(lib(c|m|dl|rt|pthread)\.so\.[0-9]+|ld-linux.*)$' || true)
  [[ -z $others ]] || die "the program of the archive needs $others"
  newest=$(objdump -T "$1" | sed -n 's/.*GLIBC_\([0-9.]*\).*/\1/p' | sort -V | tail -n 1)
  [[ $(printf '%s\n' 2.28 "$newest" | sort -V | tail -n 1) == 2.28 ]] || die "the program of the archive needs glibc $newest"
}

# repeat_archive FILE: makes the archive once more, in another folder, libraries included, and compares the bytes.
repeat_archive() {
  local again=$root/build/again
  rm -rf "$again"
  git clone -q . "$again"
  mkdir -p "$again/build/static"
  ln -s "$root/build/static/sources" "$again/build/static"
  ln -s "$root/build/zig-venv" "$again/build"
  "$again/dev" archive
  cmp "$1" "$again/build/archive/${1##*/}"
  rm -r "$again"
}

# compare_archives FOLDER: whether the programs of both archives give the same bytes. That for ARM64 is emulated.
compare_archives() {
  local folder=$root/build/both arch docs=()
  setup arm64
  rm -rf "$folder"
  for arch in x86_64 aarch64; do
    mkdir -p "$folder/$arch"
    tar -C "$folder/$arch" --strip-components=1 -xf "$1/benzer-$(version)-linux-$arch.tar.zst"
  done
  printf '#!/bin/sh\nexec qemu-aarch64-static -L /usr/aarch64-linux-gnu %s "$@"\n' "$folder/aarch64/bin/benzer" > "$folder/emulated"
  chmod +x "$folder/emulated"
  if [[ -e $BENZER_DATA/udhr ]]; then docs=("$BENZER_DATA/udhr/udhr.jsonl.zst"); fi
  tools/exchange.sh "$folder/x86_64/bin/benzer" "$folder/emulated" "${docs[@]}"
  rm -r "$folder"
}

# check_release: ends unless the sources are those of a tagged, dated version.
check_release() {
  local tag; tag=v$(version)
  [[ -z $(git status --porcelain) ]] || die "a release is made of what is committed; 'git status' shows what is not"
  [[ $(git rev-parse HEAD) == $(git rev-parse -q --verify "refs/tags/$tag^{commit}") ]] ||
    die "this commit has no tag $tag; CMakeLists.txt says that it is version $(version)"
  grep -qE "^## $(version), [0-9]{4}-[0-9]{2}-[0-9]{2}$" CHANGELOG.md || die "CHANGELOG.md has no line '## $(version), YEAR-MONTH-DAY'"
}

# release_notes: prints what the changelog says about this version.
release_notes() {
  printf '# Benzer %s\n' "$(version)"
  sed "1,/^## $(version),/d;/^## /,\$d" CHANGELOG.md
}

# release [--trial]: makes all files of a release in build/release-VERSION: archives and wheels for both processors,
# packages for each system, the sources, notes, checksums. Makes one archive again, to compare the bytes. Runs all tests in
# these systems, and does there what a first user does. --trial takes any commit and leaves out the tests. Ended before
# its end, or after a failure, it goes on with the stages of the same commit that have not passed.
release() {
  local out commit arch system trial=0 systems=(bookworm trixie noble)
  out=$root/build/release-$(version)
  if [[ ${1:-} == --trial ]]; then trial=1; else check_release; fi
  commit=$(git describe --always --abbrev=40 --exclude='*' --dirty)
  if [[ $commit == *-dirty || $(head -n 1 "$out/.passed" 2> /dev/null) != "$commit" ]]; then
    rm -rf "$out"
    mkdir -p "$out"
    echo "$commit" > "$out/.passed"
  fi
  for arch in x86_64 aarch64; do
    BENZER_ARCH=$arch once "archive-$arch" release_archive "$out" || return 1
    BENZER_ARCH=$arch once "wheels-$arch" release_wheels "$out" || return 1
  done
  once archive-again repeat_archive "$out/benzer-$(version)-linux-$(uname -m).tar.zst" || true
  once archives-equal compare_archives "$out" || true
  once wheels-arm64 env BENZER_WHEELS="$out" tools/fresh_wheels.sh bookworm aarch64 || true
  if [[ $trial -eq 0 ]]; then once test-arm64 tools/fresh_arm64.sh || true; fi
  once container tools/fresh_container.sh "$out/benzer-$(version)-linux-$(uname -m).tar.zst" || true
  for system in "${systems[@]}"; do
    if [[ $trial -eq 0 ]]; then once "test-$system" tools/fresh_dev.sh "$system" test --all || true; fi
    once "packages-$system" release_packages "$system" "$out" || return 1
    once "install-$system" try_release "$system" "$out" || true
  done
  git archive --prefix="benzer-$(version)/" HEAD | zstd -q -f -19 -o "$out/benzer-$(version)-source.tar.zst"
  release_notes > "$out/NOTES.md"
  rm -f "$out/SHA256SUMS"  # of an earlier call
  (cd "$out" && sha256sum -- * > ../SHA256SUMS && mv ../SHA256SUMS .)
  close_tests || return 1
  rm "$out/.passed"
  if [[ -n ${BENZER_SIGN:-} ]]; then
    gpg --local-user "$BENZER_SIGN" --armor --detach-sign "$out/SHA256SUMS"
  else
    echo "not signed; to sign: gpg --armor --detach-sign $out/SHA256SUMS"
  fi
  ls -l "$out"
}

# once NAME COMMAND...: a stage of the release in $out, unless it has passed there before.
once() {
  if grep -qxF "$1" "$out/.passed"; then printf '%-14s   has passed before\n' "$1"; return; fi
  stage "$@" && echo "$1" >> "$out/.passed"
}

# release_archive FOLDER, release_wheels FOLDER, release_packages SYSTEM FOLDER: make these files and copy them to the folder.
release_archive() {
  make_archive
  cp "build/archive/benzer-$(version)-linux-${BENZER_ARCH:?}".{tar.zst,cdx.json} "$1"
}
release_wheels() {
  wheel
  cp build/wheel/dist/*.whl "$1"
}
release_packages() {
  local packages=build/fresh-dev-$1/src/main/build/packages
  rm -rf "$packages"
  tools/fresh_dev.sh "$1" package
  cp "$packages"/*.deb "$2"
}

# try_release SYSTEM FOLDER: does what a first user does with the packages for that system, and with the archive.
try_release() {
  local packages=build/fresh-dev-$1/src/main/build/packages
  tools/fresh_install.sh "$1" "$packages"/benzer*.deb
  tools/fresh_install.sh "$1" "$packages"/libbenzer-dev*.deb
  tools/fresh_install.sh "$1" "$2/benzer-$(version)-linux-$(uname -m).tar.zst"
  if [[ $1 == noble ]]; then return; fi
  BENZER_WHEELS=$2 tools/fresh_wheels.sh "$1"
}

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

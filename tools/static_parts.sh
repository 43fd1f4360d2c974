# Makes the libraries that go into the archive of the program and into the wheel of the Python package: static ones, for
# an old C library. ./dev sources this file.

# cut_icu_data FOLDER: writes to FOLDER the data of this machine's ICU, less what Benzer never asks for: 3.5
# of 31 MB. nfkc_cf folds case, and the rest divides texts into words by dictionaries, for which ICU also
# reads nfkc and ja. Prints the name of the file.
cut_icu_data() {
  local folder=$1 version whole
  version=$(env -u PKG_CONFIG_LIBDIR pkg-config --modversion icu-uc)
  version=${version%%.*}
  whole=$folder/whole/icudt${version}l.dat
  mkdir -p "$folder/whole" "$folder/items"
  objcopy -O binary -j .rodata "$(env -u PKG_CONFIG_LIBDIR pkg-config --variable=libdir icu-uc)/libicudata.so.$version" "$whole"
  /usr/sbin/icupkg -l "$whole" |
    grep -xE 'nfkc(_cf)?\.nrm|brkitr/((root|ja)\.res|[a-z_]+\.brk|[a-z]+\.dict)' > "$folder/items.txt"
  /usr/sbin/icupkg -x "$folder/items.txt" -d "$folder/items" "$whole"
  # The file must have the name of the data, which is in the name of each item.
  /usr/sbin/icupkg -s "$folder/items" -a "$folder/items.txt" new "$folder/icudt${version}l.dat"
  rm -r "$folder/whole" "$folder/items"
  echo "$folder/icudt${version}l.dat"
}

# write_icu_data FILE OUT: writes the source of an object file that has the data of ICU.
write_icu_data() {
  local version=${1##*/icudt}
  local symbol=icudt${version%l.dat}_dat
  printf '%s\n' '.section .rodata' '.balign 16' ".globl $symbol" ".type $symbol, %object" "$symbol: .incbin \"$1\"" \
    ".size $symbol, . - $symbol" '.section .note.GNU-stack, "", %progbits' > "$2"
}

# fetch_source FOLDER PACKAGE...: unpacks the sources of these packages of Debian in FOLDER/PACKAGE. apt checks
# their signatures. A version that only the list of security updates has, but not the mirror, is passed over.
fetch_source() {
  local folder=$1 package release
  shift
  mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache"
  sed '/^Types:/s/:.*/: deb-src/' /etc/apt/sources.list.d/debian.sources > "$folder/apt/debian.sources"
  release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  local apt=(apt-get -q -o "Dir::Etc::sourcelist=$folder/apt/debian.sources" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$folder/apt/lists" -o "Dir::Cache=$folder/apt/cache" -o APT::Sandbox::User=root)
  "${apt[@]}" update
  for package; do
    if [[ -e $folder/$package ]]; then continue; fi
    rm -rf "$folder/unpack"
    mkdir "$folder/unpack"
    (cd "$folder/unpack" && { "${apt[@]}" source "$package" || "${apt[@]}" source "$package/$release"; }) ||
      die "apt could not fetch the source of $package"
    mv "$folder"/unpack/*/ "$folder/$package"
  done
}

# make_compilers FOLDER ARCH PYTHON: writes the commands cc, c++, ar and ranlib, which call Zig for that
# architecture and the C library of manylinux_2_28.
make_compilers() {
  local folder=$1 arch=$2 python=$3 name zig options="-target $2-linux-gnu.2.28 -g0 -ffile-prefix-map=$root=."
  # Otherwise Zig 0.15 forbids registers of 512 bits also in functions for AVX-512.
  if [[ $arch == x86_64 ]]; then options+=" -mevex512"; fi
  zig=$("$python" -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))')
  mkdir -p "$folder"
  for name in cc c++; do
    printf '#!/bin/sh\nexec %s %s %s "$@"\n' "$zig" "$name" "$options" > "$folder/$name"
  done
  for name in ar ranlib; do printf '#!/bin/sh\nexec %s %s "$@"\n' "$zig" "$name" > "$folder/$name"; done
  chmod +x "$folder"/{cc,c++,ar,ranlib}
}

# link_headers FOLDER: libraries that are headers alone are taken as they are installed. The compiler finds those that
# packaging/parts.tsv lists, and no others.
link_headers() {
  local place header
  find "$1" -maxdepth 1 -lname '/usr/include/*' -delete
  while IFS=$'\t' read -r _ place _ header; do
    if [[ $place == headers ]]; then ln -s "/usr/include/${header%%/*}" "$1"; fi
  done < packaging/parts.tsv
}

# make_parts ARCH: builds the libraries in build/static/ARCH, from sources in build/static/sources. What these are, and
# their licences, goes to build/static/ARCH/parts.
make_parts() {
  local arch=$1 name python=$root/build/zig-venv/bin/python
  local prefix=$root/build/static/$1 sources=$root/build/static/sources emulator=/usr/bin/env
  local recipe packages=(icu zlib libzstd bzip2 xz-utils simdjson fmtlib xxhash hiredis openssl sqlite3 libjpeg-turbo
    libpng1.6 libwebp giflib libseccomp snowball spdlog)
  local log=$root/build/log/static-$arch.log
  setup build static
  if [[ $arch != "$(uname -m)" ]]; then setup arm64; fi
  python_venv zig-venv python/requirements-zig.txt || die "no compiler: Zig could not be installed"
  mkdir -p "$prefix/include" "$prefix/lib/pkgconfig" "$prefix/done" build/log
  make_compilers "$prefix/bin" "$arch" "$python"
  for name in "${packages[@]}"; do
    if [[ ! -e $sources/$name ]]; then
      fetch_source "$sources" "${packages[@]}" > "$log" 2>&1 || die "no sources: see $log"
      break
    fi
  done
  # Runs what was built, to print man pages and completions.
  if [[ $arch != "$(uname -m)" ]]; then emulator="qemu-$arch-static;-L;/usr/$arch-linux-gnu"; fi
  link_headers "$prefix/include"
  # ips4o includes omp.h for a pool of threads that Benzer does not use. Written anew, it would have files compiled again.
  [[ -e $prefix/include/omp.h ]] ||
    printf 'inline int omp_get_%s() { return %d; }\n' thread_num 0 num_threads 1 max_threads 1 > "$prefix/include/omp.h"
  cat > "$prefix/toolchain.cmake" << END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $arch)
set(CMAKE_C_COMPILER $prefix/bin/cc)
set(CMAKE_CXX_COMPILER $prefix/bin/c++)
set(CMAKE_AR $prefix/bin/ar CACHE FILEPATH "")
set(CMAKE_RANLIB $prefix/bin/ranlib CACHE FILEPATH "")
# Boost 1.74 does not see that libc++ lacks what the standards of 2017 and 2020 took out.
set(CMAKE_CXX_FLAGS_INIT "-D_LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION -DBOOST_ASIO_HAS_STD_INVOKE_RESULT=1")
set(CMAKE_STRIP true CACHE FILEPATH "")
set(CMAKE_CROSSCOMPILING_EMULATOR $emulator)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-s -L$prefix/lib")
set(CMAKE_MODULE_LINKER_FLAGS_INIT -s)
set(CMAKE_FIND_ROOT_PATH $prefix)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} $prefix/lib/pkgconfig)
END
  local -x CC=$prefix/bin/cc CXX=$prefix/bin/c++ AR=$prefix/bin/ar RANLIB=$prefix/bin/ranlib
  local -x SOURCE_DATE_EPOCH CFLAGS="-O2 -fPIC" PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig
  # In the order in which they need each other.
  for name in zlib bzip2 xz-utils libzstd xxhash fmtlib spdlog simdjson snowball icu openssl hiredis sqlite3 libjpeg-turbo \
    libpng1.6 libwebp giflib libseccomp; do
    recipe=$(declare -f "make_${name//[.-]/_}"; head -n 1 "$sources/$name/debian/changelog"; tail -n 1 "$prefix/bin/c++")
    if [[ -e $prefix/done/$name && $(< "$prefix/done/$name") == "$recipe" ]]; then continue; fi
    echo "$name for $arch"
    rm -rf "$prefix/work-$name"
    cp -a "$sources/$name" "$prefix/work-$name"  # with the times of files, by which make goes
    # OpenSSL writes down when it was built.
    SOURCE_DATE_EPOCH=$(dpkg-parsechangelog -l "$sources/$name/debian/changelog" -S Timestamp)
    # In the background, because in a condition the shell would go on after an error.
    (set -e; cd "$prefix/work-$name"; "make_${name//[.-]/_}" "$prefix" "$arch") > "$log" 2>&1 < /dev/null &
    wait $! || { tail -n 25 "$log" >&2; die "$name could not be built"; }
    rm -rf "$prefix/work-$name"
    printf '%s\n' "$recipe" > "$prefix/done/$name"
  done
  build_page
  list_parts "$arch" parts
}

# build_page: builds the web page in build/static/page. The licences of its parts are in its packages.
build_page() {
  local page=$root/build/static/page
  cmake "-DNPM=$(command -v npm || echo npm)" "-DFROM=$root/web" "-DTO=$page" -P cmake/build_page.cmake > build/log/static-page.log 2>&1 ||
    cat build/log/static-page.log >&2
  [[ -s $page/dist/page.js.gz ]] || die "the web page could not be built, which needs npm and Node.js 20.19"
}

# list_parts ARCH FOLDER [OPTION...]: writes licences/ and parts.cdx.json to build/static/ARCH/FOLDER.
list_parts() {
  local arch=$1 out=$root/build/static/$1/$2 python=$root/build/zig-venv/bin/python
  shift 2
  tools/make_sbom.py --arch "$arch" --version "$(version)" --commit "$(git rev-parse HEAD)" --time "$(git log -1 --format=%ct)" \
    --sources "$root/build/static/sources" --node-modules "$root/build/static/page/node_modules" \
    --zig "$("$python" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__))')" --out "$out" "$@"
}

# Each of the following builds one library in its unpacked source. Arguments: the folder to install in, and
# the architecture.

# with_cmake PREFIX SOURCE OPTION...
with_cmake() {
  local prefix=$1 source=$2
  shift 2
  cmake -G Ninja -S "$source" -B out --toolchain "$prefix/toolchain.cmake" -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON "-DCMAKE_INSTALL_PREFIX=$prefix" -DCMAKE_INSTALL_LIBDIR=lib "$@"
  cmake --build out
  cmake --install out
}

# with_compiler PREFIX LIBRARY FILE...: for those that come with no more than a makefile.
with_compiler() {
  local prefix=$1 library=$2
  shift 2
  # shellcheck disable=SC2086
  "$CC" $CFLAGS -c "$@"
  "$AR" rcs "$prefix/lib/$library" ./*.o
}

make_zlib() {
  with_compiler "$1" libz.a -DHAVE_UNISTD_H -D_LARGEFILE64_SOURCE=1 ./*.c
  cp zlib.h zconf.h "$1/include"
  write_pkg_config "$1" zlib 1.2.13 -lz
}
make_bzip2() {
  with_compiler "$1" libbz2.a blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c
  cp bzlib.h "$1/include"
}
make_xz_utils() {
  ./configure --host="$2-linux-gnu" "--prefix=$1" --disable-{shared,xz,xzdec,lzmadec,lzmainfo,lzma-links,scripts,doc,nls}
  make -s -C src/liblzma install
}
make_libzstd() {
  with_compiler "$1" libzstd.a -DZSTD_DISABLE_ASM lib/{common,compress,decompress,dictBuilder}/*.c
  cp lib/*.h "$1/include"
  write_pkg_config "$1" libzstd 1.5.4 -lzstd
}
make_xxhash() {
  with_compiler "$1" libxxhash.a xxhash.c
  cp xxhash.h "$1/include"
  write_pkg_config "$1" libxxhash 0.8.1 -lxxhash
}
make_fmtlib() { with_cmake "$1" . -DFMT_DOC=OFF -DFMT_TEST=OFF; }
make_spdlog() { with_cmake "$1" . -DSPDLOG_FMT_EXTERNAL=ON -DSPDLOG_BUILD_EXAMPLE=OFF -DSPDLOG_BUILD_TESTS=OFF; }
make_simdjson() { with_cmake "$1" . -DSIMDJSON_DEVELOPER_MODE=OFF; }
make_snowball() {
  # Its compiler runs here.
  make CC=gcc CFLAGS=-O2 snowball
  make -o snowball "CC=$CC" "AR=$AR" "CFLAGS=$CFLAGS -Iinclude" libstemmer.a
  cp libstemmer.a "$1/lib"
  cp include/libstemmer.h "$1/include"
}
# The data of ICU is that of this machine, so that the version is that of libicu-dev.
make_icu() {
  local data
  data=$(cut_icu_data "$1/icu")
  write_icu_data "$data" data.s
  (cd source/common && printf '%s\n' ./*.cpp | xargs -P "$(nproc)" -n 8 "$CXX" -O2 -fPIC -std=c++17 -DU_COMMON_IMPLEMENTATION \
    -DU_STATIC_IMPLEMENTATION -I. -c)
  # shellcheck disable=SC2086
  "$CC" $CFLAGS -c data.s
  "$AR" rcs "$1/lib/libicuuc.a" source/common/*.o data.o
  mkdir -p "$1/include/unicode"
  cp source/common/unicode/*.h "$1/include/unicode"
}
make_openssl() {
  # It writes the names of its compiler and of its prefix into the library, so they must not be of this folder. /usr/lib/ssl
  # is where Debian has the certificates of authorities.
  local -x PATH=$1/bin:$PATH CC=cc CXX=c++ AR=ar RANLIB=ranlib
  ./Configure "linux-$2" --prefix=/usr --libdir=lib --openssldir=/usr/lib/ssl no-shared no-tests no-module no-engine \
    no-legacy no-comp no-cms no-ts no-srp no-idea no-camellia no-seed no-aria no-bf no-cast no-mdc2 no-rc2 no-rc4 no-whirlpool \
    no-ssl3 no-dtls no-gost no-sm2 no-sm3 no-sm4 -fPIC -O2
  make -s -j "$(nproc)" build_libs
  make -s install_dev "DESTDIR=$PWD/image"
  cp -r image/usr/include "$1"
  cp image/usr/lib/*.a "$1/lib"
}
make_hiredis() {
  with_compiler "$1" libhiredis.a -Wno-incompatible-function-pointer-types net.c hiredis.c sds.c async.c read.c alloc.c
  mkdir -p "$1/include/hiredis"
  cp ./*.h "$1/include/hiredis"
  write_pkg_config "$1" hiredis 0.14.1 -lhiredis
}
make_sqlite3() {
  # Programs that run here write the one file, which is the same for every architecture.
  CC=gcc ./configure --disable-tcl
  make sqlite3.c
  with_compiler "$1" libsqlite3.a -DSQLITE_OMIT_LOAD_EXTENSION sqlite3.c
  cp sqlite3.h "$1/include"
}
make_libjpeg_turbo() { with_cmake "$1" . -DENABLE_SHARED=OFF "-DCMAKE_INSTALL_LIBDIR=$1/lib" -DWITH_TURBOJPEG=OFF -DWITH_SIMD=OFF; }
make_libpng1_6() { with_cmake "$1" . -DPNG_SHARED=OFF -DPNG_TESTS=OFF; }
make_libwebp() {
  with_cmake "$1" . -DWEBP_BUILD_{ANIM_UTILS,CWEBP,DWEBP,GIF2WEBP,IMG2WEBP,VWEBP,WEBPINFO,WEBPMUX,EXTRAS}=OFF
}
make_giflib() {
  with_compiler "$1" libgif.a dgif_lib.c egif_lib.c gifalloc.c gif_err.c gif_hash.c openbsd-reallocarray.c
  cp gif_lib.h "$1/include"
}
make_libseccomp() {
  ./configure --host="$2-linux-gnu" "--prefix=$1" --disable-shared --with-pic
  make -s -C include
  make -s -C src libseccomp.la
  make -s -C include install
  make -s -C src install
  make -s install-pkgconfDATA
}

# write_pkg_config PREFIX NAME VERSION LIBRARIES
write_pkg_config() {
  printf '%s\n' "Name: $2" "Description: $2" "Version: $3" "Cflags: -I$1/include" "Libs: -L$1/lib $4" > "$1/lib/pkgconfig/$2.pc"
}

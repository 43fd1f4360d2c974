# Builds and tests the Python package; ./dev sources this file.

# python_venv NAME REQUIREMENTS...: makes build/NAME with what these files list, unless it has it already.
# Returns 1 if it cannot be installed.
python_venv() {
  local venv=build/$1 wanted
  shift
  wanted=$(cat "$@")
  if [[ -e $venv/wanted && $(< "$venv/wanted") == "$wanted" ]]; then return; fi
  rm -rf "$venv"
  python3 -m venv "$venv"
  local list=()
  for file in "$@"; do list+=(-r "$file"); done
  "$venv/bin/pip" install -q --disable-pip-version-check --timeout 60 --retries 2 "${list[@]}" || return 1
  printf '%s\n' "$wanted" > "$venv/wanted"
}

# Builds the extension in build/release and puts the package together in build/release/python.
build_python() {
  python_venv python-venv python/requirements-wheel.txt python/requirements-test.txt || return 1
  compile release -DBENZER_PYTHON=ON "-DPython_EXECUTABLE=$root/build/python-venv/bin/python" -- benzer_python benzer_cli
}

# Builds the package for its tests; without what they need, they are skipped, which is no failure.
build_tested_python() { build_python || [[ ! -e build/python-venv/wanted ]]; }

# Says that tests are skipped if what they need could not be installed. Returns 1 if it could.
skips_python() {
  if [[ -e build/python-venv/wanted ]]; then return 1; fi
  echo "SKIPPED: what python/requirements-test.txt lists could not be installed (no network?)"
  echo "0 passed, 0 failed, 1 skipped"
}

# run_pytest WORDS...: runs tests of the package that was built last.
run_pytest() {
  PYTHONPATH=$root/build/release/python BENZER=$program "$root/build/python-venv/bin/python" -m pytest -q -p no:cacheprovider "$@"
}

# Runs the tests of the package but those on Spark.
python_tests() {
  if skips_python; then return; fi
  local venv=$root/build/python-venv/bin bad=0
  "$venv/ruff" check -q --config ruff.toml python || bad=1
  "$venv/mypy" --strict --python-version 3.12 python/benzer || bad=1
  run_pytest --ignore-glob='*/spark_*_test.py' --ignore-glob='*/spark_test.py' python/tests || bad=1
  # datasketch's own tests, of its released source, against benzer.datasketch.
  PYTHONPATH=$root/build/release/python "$venv/python" python/tests/datasketch_suite.py || bad=1
  return $bad
}

# Runs the tests of the package on Spark, those that are marked as long only for ./dev test --all.
spark_tests() {
  if skips_python; then return; fi
  local which=()
  if [[ -z ${BENZER_ALL_TESTS:-} ]]; then which=(-m 'not long'); fi
  run_pytest "${which[@]}" python/tests/spark_test.py python/tests/spark_*_test.py
}

# Makes the site of the package, which needs neither the engine nor the libraries of the tests.
document_python() {
  if ! python_venv docs-venv python/requirements-docs.txt; then
    die "what python/requirements-docs.txt lists could not be installed (no network?)"
  fi
  build/docs-venv/bin/python tools/python_site.py
}

# The versions of Python on this machine that the package supports, the oldest first. One that has no global lock
# (GIL) is called as its program is: 3.13t.
python_versions() {
  local found
  for found in python3.{10..15}{,t} "$HOME"/.pyenv/versions/3.1[0-9]*/bin/python3; do
    if found=$(command -v "$found"); then
      "$found" -c 'import sys; print("%d.%d%s" % (*sys.version_info[:2], "t" * ("t" in sys.abiflags)), sys.executable)' \
        2> /dev/null || true
    fi
  done | sort -V -u -k1,1
}

# wheel [VERSION...]: makes wheels, and tests them.
wheel() {
  setup python
  make_wheels "$@"
  test_wheels
}

# make_wheels [VERSION...]: makes a wheel for each version of Python that has one of its own, and puts them in build/wheel/dist. One for
# the stable interface serves 3.12 and all later ones. BENZER_ARCH=aarch64 makes them for that architecture.
make_wheels() {
  local venv version path suffix wanted=("$@") made=() stable="" arch=${BENZER_ARCH:-$(uname -m)}
  make_parts "$arch"
  rm -rf build/wheel/raw build/wheel/dist
  mkdir -p build/wheel/raw build/wheel/dist build/log
  local -x CMAKE_TOOLCHAIN_FILE=$root/build/static/$arch/toolchain.cmake _PYTHON_HOST_PLATFORM=linux-$arch
  local -x BENZER_PARTS=$root/build/static/$arch/parts-of-wheel BENZER_BUILT_PAGE=$root/build/static/page/dist
  # What the compiler compiles for is in no argument that ccache sees, so it must be told.
  if command -v ccache > /dev/null; then
    local -x CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_COMPILERTYPE=clang \
      "CCACHE_COMPILERCHECK=string:$arch $(< python/requirements-zig.txt)"
  fi
  while read -r version path; do
    if [[ ${#wanted[@]} -gt 0 && " ${wanted[*]} " != *" $version "* ]]; then continue; fi
    # The wheel for the stable interface is made once, by the first version that has it. 3.13t has none.
    if [[ $version == 3.1[2-9] ]]; then
      if [[ -n $stable ]]; then continue; fi
      stable=$version
    fi
    venv=$root/build/wheel-venv-$version
    if [[ ! -e $venv/done ]]; then
      rm -rf "$venv"
      "$path" -m venv "$venv"
      "$venv/bin/pip" install -q --disable-pip-version-check -r python/requirements-wheel.txt || die "no packages for the wheel of Python $version"
      touch "$venv/done"
    fi
    list_parts "$arch" parts-of-wheel --python "$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
    # A wheel for another architecture is made with the Python of this one.
    suffix=$("$path" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
    PATH=$venv/bin:$PATH SETUPTOOLS_EXT_SUFFIX=${suffix/-$(uname -m)-/-$arch-} "$venv/bin/pip" wheel -q --disable-pip-version-check --no-deps --no-build-isolation \
      --config-settings "build-dir=build/wheel/tree-$arch" -w build/wheel/raw .
    made+=("$version")
  done < <(python_versions)
  [[ ${#made[@]} -gt 0 ]] || die "this machine has no Python from 3.10 on with its headers"
  # auditwheel knows the names of platforms of this architecture only. For another one it finds the name by itself.
  local wheel platform=manylinux_2_28_$arch
  if [[ $arch != "$(uname -m)" ]]; then platform=auto; fi
  for wheel in build/wheel/raw/*.whl; do
    PATH=$venv/bin:$PATH "$venv/bin/auditwheel" repair --plat "$platform" -w build/wheel/dist "$wheel" > build/log/auditwheel.log 2>&1 ||
      { cat build/log/auditwheel.log >&2; die "auditwheel could not repair $wheel"; }
    wheel=${wheel##*/}
    [[ -e build/wheel/dist/${wheel/linux_$arch/manylinux_2_28_$arch} ]] || die "$wheel needs more than manylinux_2_28 has: see build/log/auditwheel.log"
  done
  ls -l build/wheel/dist
}

# Installs each wheel in a fresh environment without network, and runs what a first user runs. If the package was
# built by ./dev test python, too, both have to give the same answers, which stay in build/log/answers.txt. Wheels
# for another architecture are tried by tools/fresh_wheels.sh.
test_wheels() {
  local version path venv ok=0 bad=0 expected=""
  if [[ ${BENZER_ARCH:-$(uname -m)} != "$(uname -m)" ]]; then
    echo "SKIPPED: this machine cannot run the wheels; tools/fresh_wheels.sh bookworm $BENZER_ARCH tries them"
    return
  fi
  if [[ -e build/release/python && -e build/python-venv && -e $BENZER_DATA/udhr ]]; then
    expected=$(PYTHONPATH=$root/build/release/python "$root/build/python-venv/bin/python" python/tests/answers.py "$BENZER_DATA")
    printf '%s\n' "$expected" > build/log/answers.txt
  else
    echo "SKIPPED: no answers to compare with; ./dev test python and the larger data sets bring them"
  fi
  while read -r version path; do
    venv=build/wheel-test-$version
    rm -rf "$venv"
    "$path" -m venv "$venv"
    if ! "$venv/bin/pip" install -q --disable-pip-version-check --no-index --find-links build/wheel/dist benzer 2> /dev/null; then
      echo "SKIPPED: no wheel was made for Python $version"
      continue
    fi
    # No compiler and none of the libraries of this machine but the C library.
    if (cd /tmp && env -i HOME=/tmp PATH="$root/$venv/bin:/bin" "$root/$venv/bin/python" "$root/python/tests/first_use.py") &&
      { [[ -z $expected ]] || diff <("$venv/bin/python" python/tests/answers.py "$BENZER_DATA") - <<< "$expected"; }; then
      ok=$((ok + 1))
    else
      bad=$((bad + 1))
    fi
  done < <(python_versions)
  echo "$ok passed, $bad failed"
  [[ $bad -eq 0 && $ok -gt 0 ]]
}

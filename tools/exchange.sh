#!/bin/bash
# usage: tools/exchange.sh HERE THERE [DOCS.jsonl.zst]
#
# Checks that two programs, of two compilers or processors, give the same bytes: of runs, signatures and indexes. Each
# also opens an index of the other, answers from it, and adds to it. HERE and THERE are the programs. Without a file the
# documents are the notices that the demo makes up.
set -euo pipefail
here=$(realpath "${1:?usage: tools/exchange.sh HERE THERE [DOCS.jsonl.zst]}")
there=$(realpath "${2:?usage: tools/exchange.sh HERE THERE [DOCS.jsonl.zst]}")
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
if [[ -n ${3:-} ]]; then zstd -dcq "$3" > "$folder/docs.jsonl"; fi
cd "$folder"
if [[ ! -e docs.jsonl ]]; then
  "$here" demo --made-up --out demo > /dev/null 2> demo.log
  "$there" demo --made-up --out demo-there > /dev/null 2> demo.log
  cmp demo/docs.jsonl demo-there/docs.jsonl
  cp demo/docs.jsonl docs.jsonl
fi
head -n 40 docs.jsonl > first.jsonl
tail -n +41 docs.jsonl > later.jsonl
words=text=text:word3+stop:en+stem:en+seed:7

# run NAME COMMAND...: lets both do the same, each in a folder of its own, and compares all files and what was printed.
# The files of an index have a random name of their own in them.
run() {
  local name=$1 at
  shift
  for at in here there; do
    mkdir -p "$at"
    (cd "$at" && "${!at}" "$@" > "$name.printed" 2> "$name.messages") || { cat "$at/$name.messages" >&2; exit 1; }
  done
  diff -r --exclude='*.messages' --exclude=index here there || { echo "$name: they differ" >&2; exit 1; }
  echo "$name: the same"
}
for threshold in 0.8 0.5; do
  run "dedup-$threshold" dedup ../docs.jsonl -o "kept-$threshold.jsonl" --threshold $threshold --pairs "pairs-$threshold.jsonl" \
    --clusters "clusters-$threshold.jsonl" --allow-large-clusters
done
run containment dedup ../docs.jsonl -o contained.jsonl --measure containment --allow-large-clusters
run passages passages ../docs.jsonl --min-words 10 -o passages.jsonl
run sketch sketch ../docs.jsonl -o signatures
run explain explain ../first.jsonl --json
run index index index ../first.jsonl --create --field "$words"
for command in 'similar index --like ../later.jsonl' 'clusters index --threshold 0.3 --allow-low-recall' 'list index' 'verify index'; do
  # shellcheck disable=SC2086
  run "${command%% *}" $command
done

# Each goes on with the index of the other.
mv here/index kept
mv there/index here/index
mv kept there/index
run more index index ../later.jsonl --bulk
run more-clusters clusters index --threshold 0.3 --allow-low-recall
run more-verify verify index

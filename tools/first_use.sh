#!/bin/sh
# usage: first_use.sh result | pages | serve_packages | serve_archive | await_server | put_document [KEY] | find_document [KEY]
#
# What a first user does with an installed program; tools/fresh_install.sh runs it in fresh systems, which have curl.
set -e

# A file without its near-duplicates, and a report.
result() {
  rm -rf /tmp/first
  mkdir /tmp/first
  cd /tmp/first
  for i in $(seq 200); do
    echo "{\"id\":\"a$i\",\"text\":\"number $i of the documents that are written here for a trial\"}"
    echo "{\"id\":\"b$i\",\"text\":\"Number $i, of the documents that are written here for a trial.\"}"
  done > docs.jsonl
  benzer dedup docs.jsonl -o clean.jsonl --report report.html --allow-large-clusters --quiet
  [ "$(wc -l < clean.jsonl)" = 200 ]
  grep -q "<html" report.html
}

pages() {
  cd "$(dirname "$(readlink -f "$(command -v benzer)")")/../share"
  ls man/man1/benzer-dedup.1.gz bash-completion/completions/benzer doc/benzer/copyright
}

# ask KEY COMMAND OF CURL...: with a key if the server wants one.
ask() {
  header="authorization: Bearer $1"
  shift
  curl -sSf -H "$header" -H "content-type: application/json" "$@"
}

# put_document [KEY]: makes an index with one document. find_document [KEY] finds it, and opens the page.
put_document() {
  await_server
  ask "${1:-none}" -X PUT $url/v1/indexes/first -d '{"fields":["text=text:word3"]}'
  ask "${1:-none}" -X PUT $url/v1/indexes/first/documents/a -d '{"text":"one two three four five six"}'
}
find_document() {
  await_server
  ask "${1:-none}" $url/v1/indexes/first/similar -d '{"text":"one two three four five six"}' | grep -q '"id":"a"'
  curl -sSfL --compressed -H 'accept: text/html' $url/ | grep -q '<script'
}

await_server() {
  for _ in $(seq 100); do
    if curl -sf $url/healthz > /dev/null; then return; fi
    sleep 0.1
  done
  echo "no server answers at $url" >&2
  exit 1
}

# There is no systemd here, so the unit's line is run by hand, as the user of the unit.
serve_packages() {
  # shellcheck disable=SC1091
  . /etc/benzer/server.conf
  cd /
  line=$(eval "echo $(sed -n 's/^ExecStart=//p' /usr/lib/systemd/system/benzer.service)")
  # shellcheck disable=SC2086
  setpriv --reuid benzer --regid benzer --clear-groups --no-new-privs $line --port 6399 > /tmp/serve.log 2>&1 &
  await_server
  [ "$(curl -s -o /dev/null -w '%{http_code}' $url/v1/indexes/first)" = 401 ]
  put_document "$(cat /etc/benzer/admin.key)"
  find_document "$(cat /etc/benzer/admin.key)"
}

serve_archive() {
  rm -rf /tmp/indexes
  mkdir /tmp/indexes
  benzer serve /tmp/indexes --port 6399 > /tmp/serve.log 2>&1 &
  put_document
  find_document
}

url=http://127.0.0.1:6399
"$@"
if [ -n "${!:-}" ]; then
  kill $!
  wait $!
fi

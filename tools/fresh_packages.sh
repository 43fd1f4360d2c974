#!/bin/bash
# usage: tools/fresh_packages.sh [RELEASE] [FOLDER]
#
# Installs the packages of build/packages in a fresh, minimal Debian (default: that of this machine), and does what a
# first user does: man page, dedup with a report, the server as its user, with its key, then remove and purge. Fails if
# anything is left behind. Needs root, network and debootstrap. FOLDER keeps the system for the next time (default:
# build/fresh-packages-RELEASE).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
release=${1:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
folder=${2:-build/fresh-packages-$release}
mirror=$(sed -n 's/^URIs: *//p;q' <(grep -h ^URIs: /etc/apt/sources.list.d/debian.sources))
mkdir -p build/log
log=build/log/fresh-packages-$release.log

fail() { echo "fresh_packages: $*" >&2; exit 1; }

# With a /proc of its own, which goes away with the command.
inside() {
  # shellcheck disable=SC2016
  unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" env -i HOME=/root DEBIAN_FRONTEND=noninteractive \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"' "$folder" "$@"
}

# All files but those of the tools that install, which remember what was installed once.
files() {
  inside find / -xdev -not -path '/proc*' -not -path '/var/cache*' -not -path '/var/lib/apt*' -not -path '/var/lib/dpkg*' \
    -not -path '/var/log*' -not -path '/tmp*' -not -path '/run*' -not -path '/packages*' -not -path '/etc/ld.so.cache' -not -name '*-' | sort
}

if [[ ! -e $folder/ready ]]; then
  rm -rf "$folder"
  debootstrap --variant=minbase "$release" "$folder" "$mirror" > "$log" 2>&1 || { tail -n 5 "$log" >&2; exit 1; }
  # What packages depend on is installed before, so that only ours are measured and compared.
  inside apt-get -q install -y --no-install-recommends adduser curl >> "$log" 2>&1
  touch "$folder/ready"
fi
rm -rf "$folder/packages"
mkdir "$folder/packages"
cp build/packages/benzer_*.deb build/packages/benzer-server_*.deb "$folder/packages"
inside apt-get -q update >> "$log" 2>&1
needed=$(inside sh -c 'apt-get -q install -s --no-install-recommends /packages/*.deb' | sed -n 's/^Inst \([^ ]*\).*/\1/p')
# shellcheck disable=SC2046
inside apt-get -q install -y --no-install-recommends $(grep -v '^benzer' <<< "$needed" || true) >> "$log" 2>&1
before=$(files)

begin=$(date +%s.%N)
inside sh -c 'apt-get -q install -y /packages/*.deb' >> "$log" 2>&1 || { tail -n 20 "$log" >&2; exit 1; }
# shellcheck disable=SC2016
inside sh -ec '
  cd /tmp
  for i in $(seq 200); do
    echo "{\"id\":\"a$i\",\"text\":\"number $i of the documents that are written here for a trial\"}"
    echo "{\"id\":\"b$i\",\"text\":\"Number $i, of the documents that are written here for a trial.\"}"
  done > docs.jsonl
  benzer dedup docs.jsonl -o clean.jsonl --report report.html --allow-large-clusters --quiet
  [ "$(wc -l < clean.jsonl)" = 200 ] && grep -q "<html" report.html' >> "$log" 2>&1 || { tail -n 20 "$log" >&2; exit 1; }
printf '%s: installed, and a first result with a report, after %.1f s\n' "$release" "$(awk "BEGIN { print $(date +%s.%N) - $begin }")"
[[ -e $folder/usr/share/man/man1/benzer-dedup.1.gz && -e $folder/usr/share/bash-completion/completions/benzer ]] ||
  fail "man pages or completions are missing"

# There is no systemd here, so its line is run by hand, as the user of the unit.
# shellcheck disable=SC2016
inside sh -ec '
  . /etc/benzer/server.conf
  cd /
  line=$(sed -n "s/^ExecStart=//p" /usr/lib/systemd/system/benzer.service)
  line=$(eval "echo $line")
  setpriv --reuid benzer --regid benzer --clear-groups --no-new-privs $line --port 6399 > /tmp/serve.log 2>&1 &
  server=$!
  trap "kill $server; wait $server || true" EXIT
  url=http://127.0.0.1:6399/v1/indexes/first
  key="authorization: Bearer $(cat /etc/benzer/admin.key)"
  for i in $(seq 50); do curl -sf http://127.0.0.1:6399/healthz > /dev/null && break; sleep 0.1; done
  [ "$(curl -s -o /dev/null -w "%{http_code}" $url)" = 401 ]
  curl -sf -H "$key" -H "content-type: application/json" -X PUT $url -d "{\"fields\":[\"text=text:word3\"]}" > /dev/null
  curl -sf -H "$key" -H "content-type: application/json" -X PUT $url/documents/a -d "{\"text\":\"one two three four five six\"}" > /dev/null
  curl -sf -H "$key" -H "content-type: application/json" $url/similar -d "{\"text\":\"one two three four five six\"}" | grep -q "\"id\":\"a\""
' >> "$log" 2>&1 || { tail -n 20 "$log" "$folder/tmp/serve.log" >&2; exit 1; }
echo "$release: served, with the key of the installation"

inside apt-get -q remove -y benzer benzer-server >> "$log" 2>&1
[[ -e $folder/var/lib/benzer/first/BENZER ]] || fail "removing the packages has removed an index; only purge may"
inside apt-get -q purge -y benzer benzer-server >> "$log" 2>&1
left=$(diff <(echo "$before") <(files) | sed -n 's/^[<>]/&/p' || true)
[[ -z $left ]] || fail "the packages leave behind, or take away: $left"
! inside getent passwd benzer > /dev/null || fail "the packages leave their user behind"
echo "$release: purged, and nothing is left"

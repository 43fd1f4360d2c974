#!/bin/bash
# usage: tools/fresh_install.sh RELEASE FILE...
#
# Does what a first user does in a fresh, minimal Debian (bookworm, trixie) or Ubuntu (noble) with these files: the
# packages benzer and benzer-server, the archive of the program, or the package libbenzer-dev. Installs, looks for a man
# page, deduplicates with a report, serves, and uninstalls; with libbenzer-dev it compiles a program instead. Fails if
# anything is left behind. Needs root, network and debootstrap. The system stays in build/fresh-install-RELEASE for the
# next time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/fresh_system.sh
release=${1:?usage: tools/fresh_install.sh RELEASE FILE...}
shift
[[ $# -gt 0 ]] || fail "name the packages, or the archive, to install"
folder=$PWD/build/fresh-install-$release
mkdir -p build/log
log=build/log/fresh-install-$release.log
: > "$log"

# try COMMAND SENTENCE: runs the command in a shell of the system, with its output in the log. Ends with the sentence if it
# fails.
try() { inside "$folder" sh -ec "$1" >> "$log" 2>&1 || { tail -n 20 "$log" >&2; fail "$release: $2"; }; }

# All files but those of the tools that install, which remember what was installed once.
files() {
  inside "$folder" find / -xdev -not -path '/proc*' -not -path '/var/cache*' -not -path '/var/lib/apt*' -not -path '/var/lib/dpkg*' \
    -not -path '/var/log*' -not -path '/tmp*' -not -path '/run*' -not -path '/files*' -not -path '/etc/ld.so.cache' -not -name '*-' | sort
}

install_packages() {
  try 'apt-get -q install -y /files/*.deb' "apt could not install the packages"
}
uninstall_packages() {
  try 'apt-get -q remove -y benzer benzer-server' "apt could not remove the packages"
  [[ -e $folder/var/lib/benzer/first/BENZER ]] || fail "removing the packages has removed an index; only purge may"
  try 'apt-get -q purge -y benzer benzer-server' "apt could not purge the packages"
  ! inside "$folder" getent passwd benzer > /dev/null || fail "the packages leave their user behind"
}

install_archive() {
  try 'apt-get -q update && apt-get -q install -y --no-install-recommends zstd' "apt could not install zstd, which tar needs"
  try 'tar -C /opt -xf /files/*.tar.zst && ln -s /opt/benzer-*/bin/benzer /usr/local/bin/benzer' "the archive could not be unpacked"
}
uninstall_archive() {
  try 'rm -r /opt/benzer-* /usr/local/bin/benzer' "the archive could not be removed"
  try 'apt-get -q purge -y zstd' "apt could not purge zstd"
}

uninstall_library() {
  try 'apt-get -q purge -y libbenzer-dev' "apt could not purge the package"
}

# use_program: what a first user does who has installed the program.
use_program() {
  begin=$(date +%s.%N)
  "install_$kind"
  try '/files/first_use.sh result' "the first use failed"
  printf '%s, %s: installed, and a first result with a report, after %.1f s\n' "$release" "$kind" \
    "$(awk "BEGIN { print $(date +%s.%N) - $begin }")"
  try '/files/first_use.sh pages' "man pages, completions or licences are missing"
  try "/files/first_use.sh serve_$kind" "the server did not answer; see $folder/tmp/serve.log"
  echo "$release, $kind: served"
}
# use_library: compiles the examples as a project of their own, with find_package(benzer), and runs one.
use_library() {
  install_packages
  try 'cmake -S /files/examples -B /tmp/examples && cmake --build /tmp/examples -j2 -t example_dedup example_research
    /tmp/examples/example_dedup | grep "is a near-copy of"' "a program could not be compiled with the package"
  echo "$release, $kind: a project with find_package(benzer) was compiled, and runs"
}

case ${1##*/} in
  *.tar.zst) kind=archive use=use_program ;;
  lib*) kind=library use=use_library ;;
  *) kind=packages use=use_program ;;
esac
make_system "$release" "$(uname -m)" "$folder" adduser curl
# A system in which something fails is made anew the next time.
trap 'rm -f "$folder/ready"' EXIT
rm -rf "$folder/files"
mkdir "$folder/files"
cp -r "$@" tools/first_use.sh examples "$folder/files"
# What packages depend on is installed before, so that only ours are measured and compared. With the archive, the program
# that unpacks it is installed within the measured time, since a minimal system has none.
if [[ $kind != archive ]]; then
  try 'apt-get -q update' "apt found no packages"
  # shellcheck disable=SC2016
  try 'needed=$(apt-get -q install -s --no-install-recommends /files/*.deb | sed -n "/benzer/d; s/^Inst \([^ ]*\).*/\1/p")
    apt-get -q install -y --no-install-recommends $needed' "apt could not install what the packages depend on"
fi
if [[ $kind == library ]]; then try 'apt-get -q install -y --no-install-recommends g++ cmake make' "apt found no compiler"; fi
before=$(files)

"$use"
"uninstall_$kind"
left=$(diff <(echo "$before") <(files) | sed -n 's/^[<>]/&/p' || true)
[[ -z $left ]] || fail "the $kind leave behind, or take away: $left"
echo "$release, $kind: uninstalled, and nothing is left"
trap - EXIT

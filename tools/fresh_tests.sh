#!/bin/bash
# usage: tools/fresh_tests.sh RELEASE [FOLDER] [-- OPTION...]
#
# Runs ./dev test, with these options, in a fresh, minimal Debian (bookworm, trixie): of the last commit, with all that
# it installs. Needs root, network and debootstrap, and 15 GB. FOLDER keeps the system, with what it has built, for the
# next time (default: build/fresh-tests-RELEASE).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/fresh_system.sh
release=${1:?usage: tools/fresh_tests.sh RELEASE [FOLDER] [-- OPTION...]}
shift
folder=build/fresh-tests-$release
if [[ $# -gt 0 && $1 != -- ]]; then folder=$1; shift; fi
if [[ $# -gt 0 ]]; then shift; fi

make_system "$release" "$(uname -m)" "$folder" ca-certificates git
# A network may have authorities, proxies and lists of packages of its own.
cp /etc/ssl/certs/ca-certificates.crt "$folder/etc/ssl/certs"
settings=()
while IFS= read -r setting; do settings+=("$setting"); done < <(env | grep -iE '^(PIP_(CERT|INDEX_URL|DEFAULT_TIMEOUT)|https?_proxy|no_proxy)=')

mkdir -p "$folder/src"
if [[ -e $folder/src/main ]]; then
  git push -q --force "$folder/src/main" HEAD:refs/heads/fresh
  git -C "$folder/src/main" reset -q --hard fresh
else
  git clone -q . "$folder/src/main"
  git -C "$folder/src/main" switch -q -C trial
fi
if [[ -e ../shared/data ]]; then export BIND=$PWD/../shared:/src/shared; fi
inside "$folder" env "${settings[@]}" sh -c 'cd /src/main && exec ./dev test "$@"' dev "$@"

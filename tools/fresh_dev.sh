#!/bin/bash
# usage: tools/fresh_dev.sh RELEASE VERB...
#
# Runs ./dev VERB of the last commit in a fresh, minimal Debian (bookworm, trixie) or Ubuntu (noble), with all that it
# installs; so `tools/fresh_dev.sh trixie test` runs all tests there. Needs root, network and debootstrap, and 15 GB. The
# system stays in build/fresh-dev-RELEASE, with what it has built in src/main/build, for the next time. These systems
# have no Node.js that is new enough, so the web page is made here if this machine has it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/fresh_system.sh
release=${1:?usage: tools/fresh_dev.sh RELEASE VERB...}
folder=build/fresh-dev-$release
shift

make_system "$release" "$(uname -m)" "$folder" ca-certificates git
# A network may have authorities, proxies and lists of packages of its own.
cp /etc/ssl/certs/ca-certificates.crt "$folder/etc/ssl/certs"
settings=()
while IFS= read -r setting; do settings+=("$setting"); done < <(env | grep -iE '^(PIP_(CERT|INDEX_URL|DEFAULT_TIMEOUT)|https?_proxy|no_proxy)=')

bring_sources "$folder"
if [[ -e build/static/page/dist ]]; then
  rm -rf "$folder/src/page"
  cp -r build/static/page/dist "$folder/src/page"
  settings+=(BENZER_BUILT_PAGE=/src/page)
fi
inside "$folder" env "${settings[@]}" sh -c 'cd /src/main && exec ./dev "$@"' dev "$@"

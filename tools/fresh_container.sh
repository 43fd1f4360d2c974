#!/bin/bash
# usage: tools/fresh_container.sh ARCHIVE
#
# Builds the container of packaging/container from an archive of the program, on a fresh, minimal Debian 13 in the place
# of an image from elsewhere, and runs it: user, key, an answer, health check, SIGTERM, and the same index again. Needs
# root, network, debootstrap and podman, with runc where crun fails, but no service.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/fresh_system.sh
archive=${1:?usage: tools/fresh_container.sh ARCHIVE}
folder=build/fresh-container
mkdir -p build/log
log=build/log/fresh-container.log
export STORAGE_DRIVER=vfs
podman=(podman --cgroup-manager cgroupfs)
if command -v runc > /dev/null; then podman+=(--runtime runc); fi
make_system trixie "$(uname -m)" "$folder-base"

rm -rf "$folder"
mkdir "$folder"
tar -C "$folder" -xf "$archive"
context=$(echo "$folder"/benzer-*)
tar -C "$folder-base" -c --one-file-system --exclude=./var/cache/apt/archives . | podman import - localhost/benzer-base > "$log" 2>&1 ||
  { tail "$log" >&2; fail "the base could not be imported"; }
# Health checks are a thing of Docker's format.
podman build --format docker --isolation chroot --build-arg BASE=localhost/benzer-base -t localhost/benzer-trial \
  -f "$context/share/doc/benzer/container/Containerfile" "$context" >> "$log" 2>&1 || { tail "$log" >&2; fail "it could not be built"; }

finish() { { "${podman[@]}" rm -f benzer-trial; podman volume rm benzer-trial; podman rmi -f benzer-trial benzer-base; } >> "$log" 2>&1 || true; }
trap finish EXIT
# By hand: what repeats the check at times is a timer of systemd.
health=$(podman image inspect localhost/benzer-trial --format '{{join .HealthCheck.Test " "}}')
[[ $health == "CMD benzer-health" ]] || fail "the image has another health check: $health"
"${podman[@]}" run -d --no-healthcheck --name benzer-trial --network host --ulimit nofile=4096:4096 --ulimit nproc=4096:4096 \
  -e BENZER_OPTIONS='--port 6399' -v benzer-trial:/var/lib/benzer localhost/benzer-trial >> "$log" 2>&1 || { tail "$log" >&2; fail "it could not be run"; }
tools/first_use.sh await_server || { "${podman[@]}" logs benzer-trial >&2; fail "it does not answer"; }
[[ $("${podman[@]}" exec benzer-trial id -u) == 6363 ]] || fail "it does not run as a user of its own"
[[ $(curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:6399/v1/indexes) == 401 ]] || fail "it answers without a key"
key=$("${podman[@]}" exec benzer-trial cat /var/lib/benzer/admin.key)
tools/first_use.sh put_document "$key" >> "$log" 2>&1 || { tail "$log" >&2; fail "it takes no document"; }
"${podman[@]}" exec benzer-trial benzer-health || fail "the health check fails while it answers"
"${podman[@]}" exec -e BENZER_OPTIONS='--port 6398' benzer-trial benzer-health > /dev/null 2>&1 &&
  fail "the health check succeeds while nothing answers"
"${podman[@]}" stop benzer-trial >> "$log"
[[ $("${podman[@]}" inspect benzer-trial --format '{{.State.ExitCode}}') == 0 ]] || fail "SIGTERM does not end it cleanly"
"${podman[@]}" start benzer-trial >> "$log"
tools/first_use.sh find_document "$key" || fail "the index is not there any more"
echo "container: built, served, ended and started again; the image has $(podman inspect localhost/benzer-trial --format '{{.Size}}' |
  awk -v base="$(podman inspect localhost/benzer-base --format '{{.Size}}')" '{printf "%.0f MB more than its base", ($1 - base) / 1e6}')"

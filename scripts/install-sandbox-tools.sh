#!/usr/bin/env bash
# Installs what the sandboxes need on a bare Debian or Ubuntu: bubblewrap and util-linux for the
# process sandbox; with --containers also Podman and runc, and busybox for the image of the tests.
set -euo pipefail

as_root() {
  if [[ "$(id -u)" -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

missing=()
command -v bwrap >/dev/null 2>&1 || missing+=(bubblewrap)
command -v prlimit >/dev/null 2>&1 || missing+=(util-linux)
if [[ "${1:-}" == "--containers" ]]; then
  command -v podman >/dev/null 2>&1 || missing+=(podman)
  command -v runc >/dev/null 2>&1 || missing+=(runc)
  command -v busybox >/dev/null 2>&1 || missing+=(busybox-static)
fi
if [[ ${#missing[@]} -gt 0 ]]; then
  as_root apt-get update -q
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}"
fi
bwrap --version

#!/usr/bin/env bash
# Runs a command with a network, mounts and process ids of its own. When it ends, the kernel ends all of its
# processes and removes its network and mounts. Only root may run it.
set -euo pipefail
if [ "${1:-}" = --inside ]; then
  shift
  ip link set lo up
  # Not exec: this shell must stay process 1, because bash reaps processes that have lost their parent.
  "$@" &
  wait $!
  exit
fi
if [ "$(id -u)" != 0 ]; then
  echo "Run this command as root." >&2
  exit 1
fi
exec unshare --net --mount --pid --fork --kill-child --mount-proc "$0" --inside "$@"

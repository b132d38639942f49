#!/usr/bin/env bash
# Prepares the namespaces for containers, then runs a command.
set -euo pipefail
# crun does not need the machine's control groups: the containers have none.
mount -t tmpfs tmpfs /sys/fs/cgroup
# podman keeps the state of containers and networks there.
mount -t tmpfs tmpfs /run
# The host names of the Compose set-up and of the authority.
(cat /etc/hosts; echo '172.31.77.10 badge.test'; echo '172.31.77.1 pebble.test') >"$BADGE_DEPLOY_STATE/hosts"
mount --bind "$BADGE_DEPLOY_STATE/hosts" /etc/hosts
"$@"

#!/usr/bin/env bash
# Builds the images and tests everything in deploy/. Only root can run it, and it needs Debian's packages: see
# below. All its files are in memory, and its containers are in namespaces that end with it.
set -euo pipefail
cd "$(dirname "$0")/../.."
for program in aardvark-dns buildah certbot crun envsubst g++ iptables make mmdebstrap netavark nginx openssl pebble podman \
  promtool python3 systemd-analyze /usr/lib/postgresql/15/bin/postgres; do
  if ! PATH="$PATH:/usr/sbin:/usr/lib/podman" command -v "$program" >/dev/null; then missing="${missing:-} $program"; fi
done
if [ -n "${missing:-}" ] || [ "$(id -u)" != 0 ]; then
  echo "Run this as root, with these programs:${missing:-}. On Debian:" >&2
  echo "apt-get install $(tr '\n' ' ' <deploy/tests/packages.txt)" >&2
  exit 1
fi
cat <<'END'
Not tested here, because there is no container registry and no Docker: the images debian:trixie-slim, node:24-trixie,
postgres:17, nginx:1.28 and certbot/certbot (Debian's packages stand in for them, and PostgreSQL 15 for 17), Docker and its
Compose (the test runs compose.yaml with podman), arm64, systemd itself, a Kubernetes cluster, and Let's Encrypt (pebble
stands in for it).
END
# In memory, and only visible to these processes: about 1.5 GB, which the kernel frees when they end.
BADGE_DEPLOY_STATE=$(mktemp -d /var/tmp/badge-deploy-XXXXXX)
export BADGE_DEPLOY_STATE
trap 'rmdir "$BADGE_DEPLOY_STATE"' EXIT
trap 'exit 1' INT TERM HUP
# shellcheck disable=SC2016
unshare --mount bash -euo pipefail -c '
  mount -t tmpfs -o mode=0755 tmpfs "$BADGE_DEPLOY_STATE"
  unshare --mount deploy/tests/build-images.sh
  echo "The images are built after $SECONDS seconds."
  scripts/with-namespaces.sh deploy/tests/inside.sh vitest run --root deploy "$@"
' bash "$@" || status=$?
echo "The tests ended after $SECONDS seconds."
exit "${status:-0}"

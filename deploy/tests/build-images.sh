#!/usr/bin/env bash
# Builds the images in $BADGE_DEPLOY_STATE. No container registry is needed: Debian's packages replace the
# base image, and the machine's own programs replace the others.
set -euo pipefail
state=$BADGE_DEPLOY_STATE
mount -t tmpfs tmpfs /sys/fs/cgroup
mkdir -p "$state/storage" "$state/run"
cat >"$state/storage.conf" <<END
[storage]
driver = "overlay"
graphroot = "$state/storage"
runroot = "$state/run"
END
cat >"$state/containers.conf" <<END
[containers]
cgroups = "disabled"
log_driver = "k8s-file"
[engine]
runtime = "crun"
cgroup_manager = "cgroupfs"
events_logger = "none"
helper_binaries_dir = ["/usr/lib/podman", "/usr/libexec/podman"]
[network]
network_backend = "netavark"
network_config_dir = "$state/networks"
END
echo '{"default":[{"type":"insecureAcceptAnything"}]}' >"$state/policy.json"
export CONTAINERS_STORAGE_CONF=$state/storage.conf CONTAINERS_CONF=$state/containers.conf

# Debian without its package manager stands in for debian:trixie-slim.
TMPDIR=$state mmdebstrap --quiet --variant=extract --mode=root --aptopt='APT::Sandbox::User "root"' \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/man/*' \
  --include=base-files,base-passwd,bash,dash,coreutils,sed,grep,mawk,findutils,libc-bin,libgcc-s1,libstdc++6,zlib1g \
  --customize-hook='cp "$1/usr/share/base-passwd/passwd.master" "$1/etc/passwd"' \
  --customize-hook='cp "$1/usr/share/base-passwd/group.master" "$1/etc/group"' \
  trixie "$state/base" http://deb.debian.org/debian &
base=$!

# An image without /usr. Its containers get the machine's /usr.
root=$state/root
mkdir -p "$root"/{usr,etc,tmp,proc,sys,dev,root,run,opt,var/tmp,var/log/nginx,var/cache/nginx,var/lib/postgresql/data,var/run}
chmod 1777 "$root/tmp" "$root/var/tmp"
for name in bin lib lib64 sbin; do ln -s "usr/$name" "$root/$name"; done
rmdir "$root/var/run"
ln -s ../run "$root/var/run"
mkdir "$root/run/postgresql" "$root/var/lib/letsencrypt" "$root/var/log/letsencrypt"
chown postgres:postgres "$root/run/postgresql" "$root/var/lib/postgresql/data"
ln -s /var/cache/nginx "$root/var/lib/nginx"
ln -s /dev/stderr "$root/var/log/nginx/error.log"
cp -a /etc/passwd /etc/group /etc/ssl /etc/alternatives /etc/ld.so.conf /etc/ld.so.conf.d /etc/ld.so.cache "$root/etc/"
cp deploy/tests/stand-ins/*.sh "$root/opt/"
# Node and npm, as in the image `node`.
mkdir -p "$root"/opt/node/{bin,lib/node_modules}
modules=$(dirname "$(realpath node_modules/.bin/node)")/..
cp "$modules/bin/node" "$root/opt/node/bin/"
cp -r "$modules/include" "$root/opt/node/"
npm install --global --prefix "$root/opt/node" --prefer-offline --no-audit --no-fund --loglevel=error npm@11.19.1 >/dev/null

import() {
  local container
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$2" / >/dev/null
  buildah config --env PATH="$3" "$container"
  buildah commit --quiet --signature-policy "$state/policy.json" "$container" "localhost/$1" >/dev/null
  buildah rm "$container" >/dev/null
}
import tools "$root" /opt/node/bin:/usr/lib/postgresql/15/bin:/usr/bin:/usr/sbin
wait "$base"
import base "$state/base" /usr/local/bin:/usr/bin

# Each file that could hold a secret beside the sources gets one. No image may contain it. secrets.test.ts
# looks for them.
canary=canary$(openssl rand -hex 16)
echo "$canary" >"$state/canary"
plant() {
  local context=$1
  mkdir -p "$context"/{data,packages/service/data,.git,deploy/compose}
  echo "BADGE_ADMIN_KEY=$canary-env" >>"$context/.env"
  echo "DATABASE_URL=postgres://badge:$canary-package-env@db.example/badge" >"$context/packages/service/.env"
  echo "BADGE_DEMO_API_KEY=$canary-package-env-local" >"$context/packages/web/.env.production.local"
  echo "//npm.example/:_authToken=$canary-npmrc" >>"$context/.npmrc"
  echo "//npm.example/:_authToken=$canary-package-npmrc" >"$context/packages/sdk/.npmrc"
  echo "$canary-admin-key" >"$context/data/admin-key"
  echo "$canary-package-admin-key" >"$context/packages/service/data/admin-key"
  echo "url = https://user:$canary-git@host.example/badge" >"$context/.git/config"
  echo "$canary-private-key" >"$context/deploy/compose/privkey.pem"
  echo "$canary-package-private-key" >"$context/packages/service/privkey.pem"
  echo "$canary-package-creator-seed" >"$context/packages/service/creator-seed"
  echo "$canary-package-holder-seed" >"$context/packages/service/holder-seed"
  mkdir -p "$context/data-chain-1" "$context/packages/service/keys"
  echo "$canary-other-data" >"$context/data-chain-1/issuer-seed"
  echo "$canary-package-keys" >"$context/packages/service/keys/encryption"
}
# Equal files have equal layers, so the commit before takes the time of its changes only.
normalize() {
  chmod -R u=rwX,go=rX "$1"
  find "$1" -exec touch --no-dereference --date=@0 {} +
}
# With the changes that are not committed yet, as `docker build .` has them.
mkdir "$state/context"
git ls-files -z --cached --others --exclude-standard | tar -c --null --ignore-failed-read -T - | tar -x -C "$state/context"
plant "$state/context"
normalize "$state/context"
# The environment of the one who builds.
export BADGE_ADMIN_KEY=$canary-environment NODE_AUTH_TOKEN=$canary-environment

build() {
  local name=$1 context=$2
  buildah build --quiet --jobs 2 --signature-policy "$state/policy.json" --isolation chroot --network host --layers --format docker \
    --ulimit nofile="$(ulimit -Hn):$(ulimit -Hn)" --volume /usr:/usr:ro --volume "$(npm config get cache)":/root/.npm \
    --build-arg NODE_IMAGE=localhost/tools --build-arg BASE_IMAGE=localhost/base --tag "localhost/badge:$name" \
    "${@:3}" "$context" >/dev/null
}
revision() { echo --build-arg "REVISION=$(git rev-parse "$1")"; }
build with-postgresql "$state/context" --target with-postgresql $(revision HEAD)
build without-postgresql "$state/context" --target without-postgresql $(revision HEAD) &
without=$!

# An image with all of these secrets: in a layer that a later one hides, in a variable, a label and a command.
cat >"$state/leaking" <<END
FROM localhost/base
USER 0
COPY . /context/
RUN rm -rf /context
ENV LEAK=$canary-variable
LABEL leak=$canary-label
RUN echo $canary-command >/dev/null
END
build leaking "$state/context" --ignorefile /dev/null --file "$state/leaking"
wait "$without"

# The commit before, to upgrade from. A shallow clone does not have it.
if git rev-parse --quiet --verify HEAD~1 >/dev/null &&
  git diff --quiet HEAD~1 HEAD -- packages/service/src/storage/migrations/baseline; then
  mkdir "$state/previous"
  git archive HEAD~1 | tar -x -C "$state/previous"
  # With an equal .npmrc, the layers of its packages are those from above.
  echo "//npm.example/:_authToken=$canary-npmrc" >>"$state/previous/.npmrc"
  normalize "$state/previous"
  if ! build previous "$state/previous" --target without-postgresql $(revision HEAD~1); then
    echo "The commit before cannot be built with its own Dockerfile, so it is built with that of this commit." >&2
    cp Dockerfile .dockerignore "$state/previous/"
    cp deploy/image/* "$state/previous/deploy/image/"
    normalize "$state/previous"
    build previous "$state/previous" --target without-postgresql $(revision HEAD~1)
  fi
  # buildah takes a layer that it has, with the label of the other commit.
  container=$(buildah from --signature-policy "$state/policy.json" --pull-never localhost/badge:previous)
  buildah config --label "org.opencontainers.image.revision=$(git rev-parse HEAD~1)" "$container"
  buildah commit --quiet --rm --signature-policy "$state/policy.json" "$container" localhost/badge:previous >/dev/null
  touch "$state/has-previous"
else
  echo "Not tested: an upgrade from the commit before. This clone does not have it. Each process is replaced all the same." >&2
fi
rm -rf "$root" "$state/base" "$state/context" "$state/previous"
df --output=used -m "$state" | tail -1 | sed "s/^ */Megabytes in memory: /"

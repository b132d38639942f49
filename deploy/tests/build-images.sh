#!/usr/bin/env bash
# Builds the images in $BADGE_DEPLOY_STATE. No container registry is needed: Debian's packages replace the base image, and the
# machine's own programs replace the others.
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
network_config_dir = "$state/networks"
helper_binaries_dir = ["/usr/lib/podman", "/usr/libexec/podman"]
[network]
network_backend = "netavark"
END
echo '{"default":[{"type":"insecureAcceptAnything"}]}' >"$state/policy.json"
export CONTAINERS_STORAGE_CONF=$state/storage.conf CONTAINERS_CONF=$state/containers.conf

# Debian without its package manager stands in for debian:trixie-slim.
TMPDIR=$state mmdebstrap --quiet --variant=extract --mode=root --aptopt='APT::Sandbox::User "root"' \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/man/*' \
  --include=base-files,base-passwd,bash,dash,coreutils,sed,grep,mawk,findutils,libc-bin,libgcc-s1,libstdc++6,zlib1g \
  --customize-hook='cp "$1/usr/share/base-passwd/passwd.master" "$1/etc/passwd"' \
  --customize-hook='cp "$1/usr/share/base-passwd/group.master" "$1/etc/group"' \
  trixie "$state/base.tar" http://deb.debian.org/debian

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
cp -r "$(npm root --global)/npm" "$root/opt/node/lib/node_modules/"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/opt/node/bin/npm"
tar -C "$root" -cf "$state/tools.tar" .

import() {
  local container
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$2" / >/dev/null
  buildah config --env PATH=/opt/node/bin:/usr/lib/postgresql/15/bin:/usr/bin:/usr/sbin "$container"
  buildah commit --quiet --signature-policy "$state/policy.json" "$container" "localhost/$1" >/dev/null
  buildah rm "$container" >/dev/null
}
import base "$state/base.tar"
import tools "$state/tools.tar"

build() {
  buildah build --quiet --signature-policy "$state/policy.json" --isolation chroot --network host --layers --format docker \
    --ulimit nofile="$(ulimit -Hn):$(ulimit -Hn)" --volume /usr:/usr:ro --volume "$(npm config get cache)":/root/.npm \
    --build-arg NODE_IMAGE=localhost/tools --build-arg BASE_IMAGE=localhost/base --build-arg REVISION="$(git rev-parse "$4")" \
    --file "$3/Dockerfile" --target "$2" --tag "localhost/badge:$1" "$3" >/dev/null
}
build with-postgresql with-postgresql . HEAD
build without-postgresql without-postgresql . HEAD
# The commit before, to upgrade from. Its Dockerfile, if it has one.
previous=HEAD~1
git rev-parse --quiet --verify "$previous" >/dev/null || previous=HEAD
mkdir "$state/previous"
git archive "$previous" | tar -x -C "$state/previous"
if [ ! -f "$state/previous/Dockerfile" ]; then cp Dockerfile .dockerignore "$state/previous/"; fi
build previous without-postgresql "$state/previous" "$previous"
rm -rf "$root" "$state/previous" "$state"/*.tar

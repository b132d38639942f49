#!/usr/bin/env bash
# Adds the digest that a registry has today to each image of Dockerfile and compose.yaml. Needs Docker with
# Buildx. With --check, fails if an image has no digest, and changes nothing.
set -euo pipefail
cd "${BADGE_ROOT:-$(dirname "$0")/..}"
files=(Dockerfile compose.yaml)
# Such as node:24-trixie or postgres:17@sha256:…, after "ARG …_IMAGE=" or "image: ". An image of our own is a
# variable.
images=$(sed -nE 's/^ARG [A-Z]+_IMAGE=([^ ]+)$/\1/p; s/^ *image: ([^ $]+)$/\1/p' "${files[@]}" | sort -u)
if [ "${1:-}" = --check ]; then
  if unpinned=$(grep -vE '@sha256:[0-9a-f]{64}$' <<<"$images"); then
    echo "These images have no digest. Run scripts/pin-images.sh:" >&2
    echo "$unpinned" >&2
    exit 1
  fi
  exit 0
fi
for image in $images; do
  name=${image%%@*}
  digest=$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$name")
  [[ $digest =~ ^sha256:[0-9a-f]{64}$ ]] || { echo "no digest of $name: $digest" >&2; exit 1; }
  sed -i -E "s#^(ARG [A-Z]+_IMAGE=| *image: )$image\$#\1$name@$digest#" "${files[@]}"
  echo "$name@$digest"
done

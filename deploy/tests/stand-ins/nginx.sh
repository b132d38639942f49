#!/bin/bash
# Stands in for the entrypoint of the image `nginx`.
set -euo pipefail
names=$(compgen -e | grep -E "$NGINX_ENVSUBST_FILTER" | sed 's/.*/${&}/' | tr '\n' ' ')
for template in "$NGINX_ENVSUBST_TEMPLATE_DIR"/*.template; do
  envsubst "$names" <"$template" >"$NGINX_ENVSUBST_OUTPUT_DIR/$(basename "$template" .template)"
done
for script in /docker-entrypoint.d/*.sh; do "$script"; done
exec "$@"

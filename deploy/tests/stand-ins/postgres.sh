#!/bin/bash
# Stands in for the entrypoint of the image `postgres`.
set -euo pipefail
export PGDATA=/var/lib/postgresql/data
if [ "${1:-}" = '' ] || [ "${1:0:1}" = - ]; then set -- postgres "$@"; fi
if [ "$1" != postgres ]; then exec "$@"; fi
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA"
  chown postgres:postgres "$PGDATA" /var/run/postgresql
  chmod 0700 "$PGDATA"
  chmod 3775 /var/run/postgresql
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  if [ -z "${POSTGRES_PASSWORD:-}" ] && [ "${POSTGRES_HOST_AUTH_METHOD:-}" != trust ]; then
    echo 'POSTGRES_PASSWORD is not set' >&2
    exit 1
  fi
  initdb --username=postgres >/dev/null
  pg_ctl -o "${*:2} -clisten_addresses=" -w start >/dev/null
  for file in /docker-entrypoint-initdb.d/*.sql; do psql -v ON_ERROR_STOP=1 -d postgres -f "$file"; done
  pg_ctl -m fast -w stop >/dev/null
fi
exec "$@"

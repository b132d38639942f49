#!/usr/bin/env bash
# Starts a new PostgreSQL 15 from Debian's package, runs a command with its DATABASE_URL, and stops the
# server.
set -euo pipefail
bin=/usr/lib/postgresql/15/bin
dir=$(mktemp -d)
chmod 0755 "$dir"
# PostgreSQL does not run as root.
run=(env)
if [ "$(id -u)" = 0 ]; then
  chown postgres "$dir"
  run=(setpriv --reuid=postgres --regid=postgres --init-groups)
fi
# The current directory may be closed to the user postgres.
cd "$dir"
"${run[@]}" "$bin/initdb" -D "$dir/files" -U postgres -A trust -E UTF8 --locale=C >"$dir/initdb.log"
"${run[@]}" "$bin/pg_ctl" -D "$dir/files" -w -l "$dir/log" -o "-c listen_addresses='' -c unix_socket_directories='$dir'" start >/dev/null
trap '"${run[@]}" "$bin/pg_ctl" -D "$dir/files" -m fast stop >/dev/null; rm -rf "$dir"' EXIT
cd - >/dev/null
DATABASE_URL="postgres://postgres@localhost/postgres?host=$dir" "$@"

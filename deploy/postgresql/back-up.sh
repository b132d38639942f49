#!/bin/sh
# Takes a base backup, checks it, and deletes older backups and the WAL that only they need. Run it as
# `postgres`, on the server's machine: back-up.sh [DIRECTORY] [BACKUPS_TO_KEEP]. Whatever happens, it writes
# to BADGE_BACKUP_STATUS_FILE (DIRECTORY/status) how it ended. The service's metrics and `npm run doctor` read
# this file.
set -eu
# `postgres` may not read the directory of the one who calls this.
cd /
directory=${1:-/backup}
keep=${2:-7}
status_file=${BADGE_BACKUP_STATUS_FILE:-$directory/status}
status=failed
reason='it ended early'
version= bytes= database_bytes= largest_bytes=

earlier() { sed -n "s/^$1=//p" "$status_file" 2>/dev/null | head -n 1; }
size_of() { echo $(($(du -sk "$1" | cut -f 1) * 1024)); }

# Replaces the file in one step, so that a reader never sees a part of it.
write_status() {
  now=$(date +%s)
  case $status in
    success) success_at=$now success_bytes=$bytes ;;
    *) success_at=$(earlier success_at) success_bytes=$(earlier success_bytes) ;;
  esac
  {
    printf 'status=%s\n' "$status"
    # One line of text, whatever the programs have printed.
    printf 'reason=%s\n' "$(printf '%s' "$reason" | tr -s '[:cntrl:]' ' ' | cut -c 1-300)"
    printf 'at=%s\nversion=%s\n' "$now" "$version"
    printf 'bytes=%s\ndatabase_bytes=%s\nlargest_bytes=%s\n' "$bytes" "$database_bytes" "$largest_bytes"
    printf 'archive_bytes=%s\n' "$(size_of "$directory/archive" 2>/dev/null || true)"
    printf 'success_at=%s\nsuccess_bytes=%s\n' "$success_at" "$success_bytes"
  } >"$status_file.part" && chmod 0644 "$status_file.part" && sync "$status_file.part" && mv "$status_file.part" "$status_file"
}

# Also runs if a command fails or a signal arrives. What is left of the backup goes first: it may fill the
# disk.
finish() {
  code=$?
  trap - EXIT
  [ "$status" = success ] || rm -rf "${directory:?}/incomplete"
  write_status || { echo "$status_file cannot be written" >&2; code=1; }
  if [ "$status" != success ]; then
    echo "no backup: $reason. Older backups, and the WAL since the oldest, are kept in $directory" >&2
    [ "$code" != 0 ] || code=1
  fi
  exit "$code"
}
trap finish EXIT
trap 'exit 1' INT TERM HUP

fail() {
  status=$1
  reason=$2
  exit 1
}

# Runs a program. `why` says why it has failed: its first error, or the last line that it has printed.
step() {
  if output=$("$@" 2>&1); then
    [ -z "$output" ] || printf '%s\n' "$output"
  else
    printf '%s\n' "$output" >&2
    return 1
  fi
}
why() {
  printf '%s\n' "$output" | grep -i -m 1 'error:\|fatal:' || printf '%s\n' "$output" | grep . | tail -n 1
}

# The directories that can contain PostgreSQL's programs. On Debian, they are not in PATH.
program_directories() {
  printf '%s\n' "$PATH" | tr : '\n'
  pg_config --bindir 2>/dev/null || true
  printf '%s\n' /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /usr/local/pgsql/bin
}

# Programs of the server's version are best. Those of a newer one can back up an older server, but not the
# reverse.
find_programs() {
  best=
  for candidate in $(program_directories); do
    for program in pg_basebackup pg_verifybackup pg_archivecleanup; do
      [ -x "$candidate/$program" ] || continue 2
    done
    major=$("$candidate/pg_verifybackup" --version 2>/dev/null | sed -n 's/^[^0-9]*\([0-9][0-9]*\).*/\1/p')
    if [ "${major:-0}" -lt "$1" ] || { [ -n "$best" ] && [ "$major" -ge "$best" ]; }; then continue; fi
    best=$major
    programs=$candidate
  done
  [ -n "$best" ]
}

[ -d "$directory/base" ] && [ -d "$directory/archive" ] || fail failed "$directory/base and $directory/archive must exist"
for candidate in $(program_directories); do
  if [ -x "$candidate/psql" ]; then psql=$candidate/psql && break; fi
done
[ -n "${psql:-}" ] || fail failed 'psql is not installed'
step "$psql" -XAtqd "${PGDATABASE:-postgres}" -c 'show server_version_num' >/dev/null ||
  fail failed "the server cannot be asked for its version: $(why)"
version=$((output / 10000))
step "$psql" -XAtqd "${PGDATABASE:-postgres}" -c 'select sum(pg_database_size(oid))::bigint from pg_database' >/dev/null ||
  fail failed "the server cannot be asked for its size: $(why)"
database_bytes=$output
find_programs "$version" ||
  fail failed "pg_basebackup, pg_verifybackup and pg_archivecleanup of PostgreSQL $version or newer are not installed"

rm -rf "$directory/incomplete"
step "$programs/pg_basebackup" -D "$directory/incomplete" -c fast || fail failed "pg_basebackup: $(why)"
step "$programs/pg_verifybackup" "$directory/incomplete" || fail unreadable "pg_verifybackup: $(why)"
bytes=$(size_of "$directory/incomplete")
largest_bytes=$(for backup in "$directory"/base/*; do [ ! -d "$backup" ] || { size_of "$backup"; }; done | sort -n | tail -n 1)
for other in "$database_bytes" "${largest_bytes:-0}"; do
  [ "$bytes" -ge $((other / 2)) ] || {
    # It is kept beside the others, because it is complete: only an older one may be worth more.
    mv "$directory/incomplete" "$directory/base/$(date -u +%Y%m%dT%H%M%SZ)"
    fail tooSmall "the backup has $bytes bytes, and the database or an older backup $other: if this is right, move the older backups away"
  }
done
# The name is the time when the backup ended. It can be restored to any later time.
name=$(date -u +%Y%m%dT%H%M%SZ)
mv "$directory/incomplete" "$directory/base/$name"
step sync -f "$directory/base/$name" || fail failed "sync: $(why)"

oldest=$(ls "$directory/base" | sort -r | head -n "$keep" | tail -n 1)
for backup in $(ls "$directory/base"); do
  if [ "$(printf '%s\n%s\n' "$backup" "$oldest" | sort | head -n 1)" = "$oldest" ]; then continue; fi
  rm -rf "${directory:?}/base/$backup"
done
first_wal=$(sed -n 's/^START WAL LOCATION: .*(file \([0-9A-F]*\))$/\1/p' "$directory/base/$oldest/backup_label")
step "$programs/pg_archivecleanup" "$directory/archive" "$first_wal" || fail failed "pg_archivecleanup: $(why)"
status=success
reason=
echo "backed up to $directory/base/$name"

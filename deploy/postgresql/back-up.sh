#!/bin/sh
# Takes a base backup, checks it, and deletes older backups and the WAL that only they need. Run it as `postgres`, on the
# server's machine: back-up.sh [DIRECTORY] [BACKUPS_TO_KEEP]
set -eu
directory=${1:-/backup}
keep=${2:-7}

rm -rf "$directory/incomplete"
pg_basebackup -D "$directory/incomplete" -c fast
pg_verifybackup "$directory/incomplete"
# The name is the time when the backup ended. It can be restored to any later time.
name=$(date -u +%Y%m%dT%H%M%SZ)
mv "$directory/incomplete" "$directory/base/$name"

oldest=$(ls "$directory/base" | sort -r | head -n "$keep" | tail -n 1)
for backup in $(ls "$directory/base"); do
  if [ "$(printf '%s\n%s\n' "$backup" "$oldest" | sort | head -n 1)" = "$oldest" ]; then continue; fi
  rm -rf "${directory:?}/base/$backup"
done
first_wal=$(sed -n 's/^START WAL LOCATION: .*(file \([0-9A-F]*\))$/\1/p' "$directory/base/$oldest/backup_label")
pg_archivecleanup "$directory/archive" "$first_wal"
echo "backed up to $directory/base/$name"

#!/bin/sh
# Prepares a data directory that PostgreSQL restores to a point in time when it starts. Stop PostgreSQL first,
# then run this as `postgres`: restore.sh 'TIME' DATA_DIRECTORY [DIRECTORY_OF_BACKUPS], with a time such as
# '2026-01-31 12:00:00+00'. What was in the data directory is kept in DIRECTORY_OF_BACKUPS/replaced-….
set -eu
# `postgres` may not read the directory of the one who calls this, and `find` needs it.
cd /
time=$1
data=$2
directory=${3:-/backup}
limit=$(date -u -d "$time" +%Y%m%dT%H%M%SZ)
# The newest backup that ended before the time.
base=$(printf '%s\n' $(ls "$directory/base") "$limit" | sort -u | grep -B 1 -x "$limit" | head -n 1)
if [ "$base" = "$limit" ]; then base=; fi
if [ -z "$base" ]; then
  echo "there is no backup from before $time in $directory/base" >&2
  exit 1
fi
replaced=$directory/replaced-$(date -u +%Y%m%dT%H%M%SZ)
mkdir -p "$data" "$replaced"
find "$data" -mindepth 1 -maxdepth 1 -exec mv {} "$replaced/" \;
cp -a "$directory/base/$base/." "$data/"
chmod 0700 "$data"
cat >>"$data/postgresql.auto.conf" <<END
restore_command = 'cp $directory/archive/%f %p'
recovery_target_time = '$time'
recovery_target_action = 'promote'
END
touch "$data/recovery.signal"
echo "prepared from $directory/base/$base: start PostgreSQL"

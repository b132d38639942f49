#!/bin/sh
# Creates the operator's key, the key of the metrics, the seeds of the managed creators, of the issuer keys
# and of kept badges, and the encryption key, for the user of the service's containers, and the directories
# of the backups. A file that exists is never replaced.
set -eu
create() {
  if [ ! -s "/keys/$1" ]; then
    cat >"/keys/$1.part"
    mv "/keys/$1.part" "/keys/$1"
  fi
  chown 1000:1000 "/keys/$1"
  chmod 0400 "/keys/$1"
}
umask 077
head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n' | create admin-key
head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n' | create metrics-key
head -c 32 /dev/urandom | create creator-seed
head -c 32 /dev/urandom | create issuer-seed
head -c 32 /dev/urandom | create holder-seed
head -c 32 /dev/urandom | create encryption-key
mkdir -p /backup/archive /backup/base
chown postgres:postgres /backup /backup/archive /backup/base
chmod 0700 /backup
chown postgres:postgres /backup-status

#!/bin/sh
# Creates the operator's key, for the user of the service's containers, and the directories of the backups.
set -eu
if [ ! -s /keys/admin-key ]; then
  head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n' >/keys/admin-key.part
  mv /keys/admin-key.part /keys/admin-key
fi
chown 1000:1000 /keys/admin-key
chmod 0400 /keys/admin-key
mkdir -p /backup/archive /backup/base
chown postgres:postgres /backup /backup/archive /backup/base
chmod 0700 /backup

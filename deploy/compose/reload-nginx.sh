#!/bin/sh
# Reloads nginx after its certificate has changed. The image runs this file before it starts nginx.
(
  loaded=$(stat -c %Y /certificates/fullchain.pem)
  while sleep 5; do
    changed=$(stat -c %Y /certificates/fullchain.pem)
    if [ "$changed" != "$loaded" ]; then
      loaded=$changed
      nginx -s reload
    fi
  done
) &

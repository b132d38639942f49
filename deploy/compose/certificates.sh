#!/bin/sh
# Keeps a certificate in /certificates: from an ACME authority if BADGE_ACME_EMAIL is set, otherwise a local
# one. nginx needs one to start, so a local one also serves until the authority's arrives.
set -eu
umask 077
if ! openssl x509 -noout -checkhost "$BADGE_HOST" -in /certificates/fullchain.pem 2>/dev/null | grep -q 'does match'; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj "/CN=$BADGE_HOST" \
    -addext "subjectAltName=DNS:$BADGE_HOST" -keyout /certificates/privkey.pem -out /certificates/fullchain.pem 2>/dev/null
fi
if [ -z "$BADGE_ACME_EMAIL" ]; then
  echo "the certificate of $BADGE_HOST is a local one: set BADGE_ACME_EMAIL for one that browsers trust"
  exec sleep infinity
fi

# nginx answers the authority's questions.
until python3 -c "import socket; socket.create_connection(('nginx', 80), 2)" 2>/dev/null; do sleep 1; done
umask 022
while :; do
  # Does nothing until a third of the certificate's time is left.
  if certbot certonly --non-interactive --agree-tos --email "$BADGE_ACME_EMAIL" --server "$BADGE_ACME_SERVER" \
    --webroot --webroot-path /var/www/letsencrypt --domain "$BADGE_HOST" --cert-name "$BADGE_HOST" --keep-until-expiring; then
    live=/etc/letsencrypt/live/$BADGE_HOST
    if ! cmp -s "$live/fullchain.pem" /certificates/fullchain.pem; then
      # nginx looks at fullchain.pem, so that comes last.
      cat "$live/privkey.pem" >/certificates/privkey.pem
      cat "$live/fullchain.pem" >/certificates/fullchain.pem
      echo "the certificate of $BADGE_HOST is new"
    fi
    sleep 43200
  else
    # Let's Encrypt refuses after five failures in an hour.
    sleep 900
  fi
done

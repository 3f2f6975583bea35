# Kurs as a container image:
#
#   docker build -t kurs .
#   docker run -d --read-only -p 8080:8080 -v kurs-data:/data kurs
#
# Any Debian or Ubuntu with glibc 2.28 or newer may be the base: the runtime, Node.js 26, comes with
# the dependencies.
ARG BASE_IMAGE=docker.io/library/debian:trixie-slim

FROM ${BASE_IMAGE} AS build
# npm alone is needed of Debian's packages; it runs on the old Node.js that comes with it.
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates npm
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund --strict-allow-scripts
COPY . .
RUN PATH="$PWD/node_modules/.bin:$PATH" \
  && node scripts/build-console.js \
  && node scripts/build-program.js \
  && npm prune --omit=dev --no-audit --no-fund \
  && mkdir -p /image/opt/kurs /image/data \
  && cp -R bin dist migrations node_modules package.json snapshot /image/opt/kurs/ \
  && mkdir -p /image/opt/kurs/console /image/opt/kurs/src/crypto \
  && cp -R console/dist /image/opt/kurs/console/ \
  && cp src/crypto/hash-worker.js /image/opt/kurs/src/crypto/ \
  && chown 10001:10001 /image/data && chmod 0700 /image/data

FROM ${BASE_IMAGE}
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates libatomic1 libstdc++6 \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /image /
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Kurs" \
  org.opencontainers.image.description="A self-hosted currency-rate service: exact rates, exactly metered." \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
ENV DATA_DIR=/data HOST=0.0.0.0 NODE_ENV=production \
  PATH=/opt/kurs/node_modules/.bin:/usr/local/bin:/usr/bin:/bin
# A number, so that an orchestrator can see that it is not root.
USER 10001:10001
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "/opt/kurs/bin/kurs.js", "health"]
ENTRYPOINT ["node", "/opt/kurs/bin/kurs.js"]
CMD ["serve"]

# Kurs as a container image: one executable on a small Debian.
#
#   docker build -t kurs .
#   docker run -d --read-only -p 127.0.0.1:8080:8080 -v kurs-data:/data kurs
#
# Any Debian or Ubuntu with glibc 2.28 or newer can be the base: Node.js 26 comes with the
# dependencies. NPM_CONFIG_REGISTRY names another npm registry.
ARG BASE_IMAGE=docker.io/library/debian:trixie-slim

FROM ${BASE_IMAGE} AS build
# npm alone: scripts/run.js installs the Node.js that builds.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates libatomic1 npm
WORKDIR /build
ARG NPM_CONFIG_REGISTRY
COPY package.json package-lock.json ./
COPY scripts/run.js scripts/
RUN node scripts/run.js
COPY . .
RUN npm run --silent build:binary

FROM ${BASE_IMAGE}
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates libatomic1 libstdc++6 \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /build/dist/kurs /usr/local/bin/kurs
# Not copied from the build: COPY creates a directory that every user may read.
RUN install --directory --owner=10001 --group=10001 --mode=0700 /data
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Kurs" \
  org.opencontainers.image.description="A self-hosted currency-rate service: exact rates, exactly metered." \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
# SQLite sorts what is large in files, and a read-only root has no other place for them.
ENV DATA_DIR=/data HOST=0.0.0.0 SQLITE_TMPDIR=/data
# A number, so that an orchestrator can see that it is not root.
USER 10001:10001
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["/usr/local/bin/kurs", "health"]
ENTRYPOINT ["/usr/local/bin/kurs"]
CMD ["serve"]

# Kurs as a container image: one executable with its libraries, without a shell.
#
#   docker build -t kurs .
#   docker run -d --read-only -p 127.0.0.1:8080:8080 -v kurs-data:/data kurs
#
# Any Debian or Ubuntu with glibc 2.28 or newer can build it, and its libraries are in the image:
# Node.js 26 comes with the dependencies. NPM_CONFIG_REGISTRY names another npm registry.
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

# What runs: the executable, the libraries that it names, and those with which glibc looks up a host.
RUN mkdir -p /image/etc /image/usr/local/bin /volume/data \
  && echo "hosts: files dns" > /image/etc/nsswitch.conf \
  && { ldd dist/kurs | grep -o "/[^ )]*"; ls /lib/*/libnss_files.so.2 /lib/*/libnss_dns.so.2; } \
  | xargs cp --parents --dereference --target-directory=/image \
  && mv dist/kurs /image/usr/local/bin/ \
  && chmod 0700 /volume/data

FROM scratch
COPY --from=build /image/ /
# From a parent of its own: of what COPY itself creates, it opens a directory to every user.
COPY --from=build --chown=10001:10001 /volume/ /
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Kurs" \
  org.opencontainers.image.description="A self-hosted currency-rate service: exact rates, exactly metered." \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
# SQLite sorts what is large in files, and a read-only root has no other place for them.
ENV PATH=/usr/local/bin DATA_DIR=/data HOST=0.0.0.0 SQLITE_TMPDIR=/data
# A number, so that an orchestrator can see that it is not root.
USER 10001:10001
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["/usr/local/bin/kurs", "health"]
ENTRYPOINT ["/usr/local/bin/kurs"]
CMD ["serve"]

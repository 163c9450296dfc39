# Kalends: server, command line and sandbox. docs/operations.md#container says how to run it.

FROM node:26-trixie-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM packages AS build
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.ts scripts/package-list.ts scripts/
COPY packages packages
COPY sandbox sandbox
COPY src src
RUN node scripts/build.ts && mkdir data bin && ln -s /app/dist/src/main.js bin/kalends

FROM node:26-trixie-slim
# The two MALLOC_ lines keep glibc from holding on to memory in pieces, as `npm start` does.
ENV NODE_ENV=production \
    KALENDS_HOST=0.0.0.0 \
    KALENDS_DATA_DIR=/data \
    MALLOC_ARENA_MAX=2 \
    MALLOC_MMAP_THRESHOLD_=131072
WORKDIR /app
COPY --from=packages /app ./
COPY --from=build /app/dist dist
COPY --from=build /app/bin /usr/local/bin
COPY LICENSE README.md SECURITY.md CHANGELOG.md ./
COPY docs docs
COPY examples examples
# Compiled code for the image's user, with which the program starts in less time. The program runs without it, too.
RUN install -d -o 1000 -g 1000 node_modules/.cache/kalends filling; \
    KALENDS_HOST=127.0.0.2 KALENDS_DATA_DIR=filling/data timeout 10 \
    setpriv --reuid=1000 --regid=1000 --clear-groups \
    node --max-semi-space-size=4 --no-concurrent-recompilation dist/src/main.js serve; \
    rm -r filling; chown -R root:root node_modules/.cache || true
# The image's user `node`. Only the data folder is its own: everything else can be read-only.
COPY --from=build --chown=1000:1000 /app/data /data
USER 1000:1000
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.KALENDS_PORT || process.env.PORT || 8080}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=4", "--no-concurrent-recompilation", "/app/dist/src/main.js"]
CMD ["serve"]

# Toolcrib as a service: build with everything, run with what is needed, as nobody in particular.
#   docker build -t toolcrib .
#   docker run -p 127.0.0.1:7420:7420 -v toolcrib:/data \
#     -e TOOLCRIB_SERVER_ALLOWED_HOSTS=ops.example.com -e TOOLCRIB_SERVER_BEHIND_TLS=true toolcrib

FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY console/package.json console/
# The build runs below, when the sources are there.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build \
  && npm prune --omit=dev --ignore-scripts \
  # The drivers for PostgreSQL and Redis, which an installation adds when it needs them. Saved, because npm leaves out
  # what package.json lists for development or as an optional peer, even when it is named here.
  && npm install --save-prod --omit=dev --ignore-scripts --no-audit --no-fund bullmq@6 ioredis@6 pg@8

FROM node:22-bookworm-slim
# bubblewrap isolates programs that tools run, ripgrep searches, git is what git tools call.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git ripgrep tini \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin toolcrib \
  && install -d -o toolcrib -g toolcrib -m 0700 /data /data/home
WORKDIR /app
COPY --from=build --chown=root:root /app/package.json ./
COPY --from=build --chown=root:root /app/node_modules ./node_modules
COPY --from=build --chown=root:root /app/dist ./dist
ENV NODE_ENV=production \
  TOOLCRIB_HOME=/data/home
USER toolcrib
# The project: its store lies in .toolcrib below it.
WORKDIR /data
VOLUME /data
EXPOSE 7420
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7420/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Beyond the container the server is reached by names that TOOLCRIB_SERVER_ALLOWED_HOSTS gives it,
# through a proxy that speaks TLS; without both it refuses to listen there.
STOPSIGNAL SIGTERM
ENTRYPOINT ["tini", "--", "node", "/app/dist/cli/main.js"]
CMD ["serve", "--host", "0.0.0.0"]

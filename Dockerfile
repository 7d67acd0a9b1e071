# A small image of Rollbook. docs/install.md says how to build it, and how to move to a newer base image.
# The digest is that of the index for all platforms, as of 2026-10-06. A tag can be moved, a digest cannot.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20

# The package as `npm pack` makes it, with what is compiled.
FROM ${NODE_IMAGE} AS package
# Dates the bill of materials: the same commit then makes the same package.
ARG SOURCE_DATE_EPOCH
WORKDIR /checkout
COPY .npmrc package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN mkdir /package && npm pack --pack-destination /package

FROM ${NODE_IMAGE} AS installed
WORKDIR /opt/rollbook
COPY --from=package /package/ /package/
# npm ci, and not npm install of the file: exactly what was tested.
RUN tar -xzf /package/*.tgz --strip-components=1 && npm ci --omit=dev --ignore-scripts && install -d -o 1000 node_modules/.cache
# Node keeps what it has compiled by user, and the file system is read-only later.
USER 1000:1000
RUN node scripts/warm-up.js

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="Rollbook" \
      org.opencontainers.image.description="User Administration (Auth) API of a product" \
      org.opencontainers.image.licenses="Apache-2.0"
# Nothing is installed from now on.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn* /opt/yarn* \
    && ln -s /opt/rollbook/bin/rollbook.js /usr/local/bin/rollbook \
    && install -d -o 1000 -g 1000 -m 700 /var/lib/rollbook
COPY --from=installed --chown=0:0 /opt/rollbook /opt/rollbook
ENV NODE_ENV=production \
    ROLLBOOK_HOST=0.0.0.0 \
    ROLLBOOK_DATA_DIR=/var/lib/rollbook
WORKDIR /var/lib/rollbook
USER 1000:1000
VOLUME /var/lib/rollbook
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=3s --start-period=15m CMD ["node", "/opt/rollbook/deploy/docker/health.js"]
ENTRYPOINT ["rollbook"]
CMD ["serve"]

# Builds as a user without rights; what runs has neither a shell nor npm, and nothing that it may write to but /data.
FROM node:22-bookworm-slim AS build
RUN install -d -o node -g node /almoner /image /image/data
USER node
WORKDIR /almoner
COPY --chown=node:node . .
RUN node scripts/image.mjs /image/app

FROM gcr.io/distroless/nodejs22-debian12
COPY --from=build --chown=0:0 /image/app /app
COPY --from=build --chown=65532:65532 /image/data /data
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data LOG_FORMAT=json
WORKDIR /app
USER 65532:65532
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["/nodejs/bin/node", "--max-semi-space-size=8", "--heap-growing-percent=25", "--v8-pool-size=1", "/app/dist/main.js"]
CMD ["serve"]

# Builds an image of the sandbox: the server, its laboratory with the stand-ins, and the documentation. compose.yaml beside this file
# builds and runs it. The server for production is in Dockerfile.
FROM swift:6.3-bookworm AS build
WORKDIR /source
ENV TOKEN_EXCHANGE_TARGETS=all
COPY scripts scripts
RUN scripts/setup && rm -rf /var/lib/apt/lists/*
COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
# A debug build takes a third of the time of a release build. Without --disable-local-rpath the programs would load libraries from
# their own folder.
RUN for product in token-exchange token-exchange-lab; do \
        swift build --quiet --static-swift-stdlib --disable-local-rpath --product "$product" || exit 1; \
        install -D --strip ".build/debug/$product" "/out/$product"; \
    done \
    && scripts/docs /out/docs

FROM debian:bookworm-slim
RUN apt-get update && apt-get install --yes --no-install-recommends \
    ca-certificates curl libssl3 libcurl4 libjansson4 libpq5 libsqlite3-0 \
    && rm -rf /var/lib/apt/lists/* \
    && install --directory --mode=1777 /srv/var
COPY --from=build /out /opt/token-exchange
COPY scripts/run /srv/scripts/run
USER 10001:10001
ENTRYPOINT ["/srv/scripts/run", "--binaries", "/opt/token-exchange"]

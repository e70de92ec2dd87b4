# gantrycd-ls for pipelines:
#
#   docker build -t gantrycd-ls .
#   docker run --rm -v "$PWD:/workspace" gantrycd-ls check --format sarif > gantrycd.sarif
FROM rust:1-alpine AS build
RUN apk add --no-cache build-base
WORKDIR /source
COPY Cargo.toml Cargo.lock README.md ./
COPY src src
COPY benches benches
RUN cargo build --release --locked --bin gantrycd-ls

FROM alpine:3
COPY --from=build /source/target/release/gantrycd-ls /usr/local/bin/gantrycd-ls
WORKDIR /workspace
# nobody but the mounted files' owner needs anything here
ENV GANTRYCD_LS_NO_CACHE=1
USER nobody
ENTRYPOINT ["gantrycd-ls"]
CMD ["check"]

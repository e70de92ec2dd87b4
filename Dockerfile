# gantrycd-ls for pipelines:
#
#   docker build -t gantrycd-ls .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/workspace" gantrycd-ls check
#
# States, and what is cached of them, can be read by their owner alone: `--user` is who that is.
FROM rust:1-alpine AS build
RUN apk add --no-cache build-base
WORKDIR /source
COPY Cargo.toml Cargo.lock README.md ./
COPY src src
# the pages of the checks are in the binary
COPY docs/checks docs/checks
COPY benches benches
RUN cargo build --release --locked --bin gantrycd-ls

FROM alpine:3
COPY --from=build /source/target/release/gantrycd-ls /usr/local/bin/gantrycd-ls
WORKDIR /workspace
# of states, nothing stays in a container
ENV GANTRYCD_LS_NO_CACHE=1
USER nobody
ENTRYPOINT ["gantrycd-ls"]
CMD ["check"]

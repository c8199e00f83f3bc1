#!/bin/sh
# Prints the digests of the images that Containerfile and compose.yaml are built from, as lines of deploy/.env. Each is
# what its registry serves today; look at it, keep it, and run this again when you want newer ones.
# Docker: ENGINE=docker sh deploy/image-digests.sh
set -eu
engine=${ENGINE:-podman}

digest() {
  "$engine" pull --quiet "docker.io/library/$2" >/dev/null
  # "docker.io/library/node@sha256:…"; of several, the first.
  found=$("$engine" image inspect --format '{{index .RepoDigests 0}}' "docker.io/library/$2")
  case $found in
    *@sha256:*) echo "$1=${found#*@}" ;;
    *) echo "$engine knows no digest of $2." >&2; exit 1 ;;
  esac
}

digest NODE_DIGEST node:24-trixie-slim
digest DEBIAN_DIGEST debian:trixie-slim
digest POSTGRES_DIGEST postgres:18
digest CADDY_DIGEST caddy:2

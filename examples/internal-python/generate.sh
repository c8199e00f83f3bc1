#!/bin/sh
# Makes Python classes of the .proto files, with protoc 3.21 or newer: GEN, by default .cache/python, is where they go.
set -eu
cd "$(dirname "$0")/../.."
gen=${GEN:-.cache/python}
mkdir -p "$gen"
# What the files import from others: npm ci put it into .cache/proto. The classes of google.protobuf come with Python's package.
# shellcheck disable=SC2046
protoc -I proto -I .cache/proto --python_out="$gen" $(find proto -name '*.proto') \
  $(find .cache/proto/buf .cache/proto/google -name '*.proto')

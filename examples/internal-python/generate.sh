#!/bin/sh
# Makes Python classes of the .proto files, with protoc 3.21 or newer: GEN, by default .cache/python, is where they go.
set -eu
cd "$(dirname "$0")/../.."
gen=${GEN:-.cache/python}
mkdir -p "$gen"
# The classes of google.protobuf come with Python's package.
# shellcheck disable=SC2046
protoc -I proto --python_out="$gen" $(find proto/paylink proto/buf proto/google -name '*.proto')

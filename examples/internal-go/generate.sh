#!/bin/sh
# Makes Go packages of the .proto files in gen/, with protoc 3.21 or newer, protoc-gen-go and protoc-gen-go-grpc (Debian 12:
# protobuf-compiler, protoc-gen-go-1-5 and protoc-gen-go-grpc).
set -eu
cd "$(dirname "$0")/../.."
module=example.com/books
gen=${GEN:-examples/internal-go/gen}
mkdir -p "$gen"
files=$(cd proto && find paylink -name '*.proto')
packages=""
for file in $files buf/validate/validate.proto; do
  packages="$packages,M$file=$module/gen/$(dirname "$file")"
done
# shellcheck disable=SC2086
protoc -I proto \
  --go_out="$gen" --go_opt="module=$module/gen$packages" \
  --go-grpc_out="$gen" --go-grpc_opt="module=$module/gen$packages" \
  $files buf/validate/validate.proto

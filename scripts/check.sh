#!/usr/bin/env bash
# Everything that must hold before a change lands, cheapest first, the tests last.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; }

step format
oxfmt --check .
buf format --diff --exit-code proto
step lint
oxlint --type-aware --deny-warnings
buf lint
node scripts/breaking.ts
step types
tsc --noEmit -p .
step 'dead code'
knip
step 'generated code'
before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
cp -R gen "$before/gen"
npm run --silent generate
diff -r "$before/gen" gen || { echo 'gen/ was not up to date: it is now, commit it'; exit 1; }
step tests
TEST_FILES=all npm test

#!/usr/bin/env bash
# Everything that must hold before a change lands: the static checks beside each other, then the tests of every change.
set -euo pipefail
cd "$(dirname "$0")/../.."
output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT

proto() { buf format --diff --exit-code proto --path proto/paylink && buf lint && node tools/scripts/breaking.ts; }
generated() {
  cp -R gen docs/variables.md "$output"
  npm run --silent generate
  diff -r "$output/gen" gen && diff "$output/variables.md" docs/variables.md ||
    { echo 'gen/ or docs/variables.md was not up to date: it is now, commit it'; return 1; }
}
lint() { oxlint --type-aware --deny-warnings; }
format() { oxfmt --check .; }
types() { tsc --noEmit -p .; }
dead_code() { knip; }

# Runs the named checks beside each other, then prints those that failed.
beside() {
  local check failed=0 running=()
  for check in "$@"; do
    (SECONDS=0; set -e; "$check"; echo "$SECONDS s") >"$output/$check" 2>&1 &
    running+=($!)
  done
  for check in "$@"; do
    if wait "${running[0]}"; then echo "== $check: $(tail -n 1 "$output/$check")"
    else printf '\n== %s failed\n' "$check"; cat "$output/$check"; failed=1; fi
    running=("${running[@]:1}")
  done
  return $failed
}

# The others read what the first one writes.
beside generated format
beside proto lint types dead_code
npm test

#!/usr/bin/env bash
# What a newcomer does: a fresh clone, and in it the README's own commands to a first converted
# request. They are the first `sh` block of README.md, so that no second list can go stale.
#
#   tests/newcomer.sh          runs them, and prints the seconds of each and of all together
#   tests/newcomer.sh --list   only prints them
#
# Fails if a command does, if the last one writes no request, and after two minutes.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
limit="${NEWCOMER_SECONDS:-120}"

commands() {  # those of a README, without comments
  awk '/^```/ { if (inside) exit; inside = ($0 == "```sh"); next }
       inside { sub(/[ \t]+#.*$/, ""); if ($0 != "") print }' "$1"
}

fail() {
  printf 'newcomer: %s\n' "$1" >&2
  exit 1
}

within() {  # seconds, command: stopped when they are over, where `timeout` is installed
  if command -v timeout > /dev/null; then timeout "$@"; else shift && "$@"; fi
}

if [ "${1:-}" = --list ]; then
  commands "$root/README.md"
  exit
fi

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
unset PYTHONPATH VIRTUAL_ENV
SECONDS=0
TIMEFORMAT='%1R s'

git clone --quiet "$root" "$folder/clone"
cd "$folder/clone"
echo "a fresh clone of $(git log -1 --format='%h, %s')"
commands README.md > "$folder/commands"
[ -s "$folder/commands" ] || fail "README.md has no sh block to begin with"

while IFS= read -r line; do
  echo "\$ $line"
  left=$((limit - SECONDS))
  [ "$left" -gt 0 ] || fail "more than $limit seconds"
  { time within "$left" bash -euo pipefail -c "$line" \
    < /dev/null > "$folder/out" 2> "$folder/err"; } 2>&1 || {
    cat "$folder/out" "$folder/err" >&2
    fail "failed, or took more than the $left seconds that were left: $line"
  }
done < "$folder/commands"

grep -q '"messages"' "$folder/out" || fail "the last command wrote no request"
[ "$SECONDS" -le "$limit" ] || fail "more than $limit seconds: $SECONDS"
echo "$SECONDS s from nothing to a first converted request (limit $limit)"

#!/usr/bin/env bash
# inspector_build.sh [FOLDER]: builds the page of the inspector from client/inspector, by default for programs that run from the
# sources. The packages of npm are in the cache, in the versions of package-lock.json, so that the same commit gives the same bytes.
# If Node.js or its packages cannot be had, prints why and exits with status 3.
set -euo pipefail
start_dir=$PWD
cd "$(dirname "$(readlink -f "$0")")/.."
source tools/lib.sh

# Vite needs Node.js 20.19.
node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' \
  2>/dev/null && command -v npm >/dev/null ||
  { echo "inspector: Node.js 20.19 or later with npm is not installed; its page cannot be built" >&2; exit 3; }

packages=$(inspector_packages)
if [ ! -e "$packages/complete" ]; then
  rm -rf "$packages" && mkdir -p "$packages"
  cp client/inspector/package.json client/inspector/package-lock.json "$packages/"
  (cd "$packages" && timeout 300 npm ci --no-audit --no-fund --ignore-scripts >log 2>&1 && touch complete) ||
    { echo "inspector: cannot install packages from the registry of npm; $packages/log says why" >&2; exit 3; }
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r client/inspector/. "$work/"
rm -rf "$work/node_modules"
ln -s "$packages/node_modules" "$work/node_modules"
(cd "$work" && node_modules/.bin/tsc && node_modules/.bin/vite build --outDir "$work/page" --logLevel warn)

# The packages in the page: for the bill of materials of a release, and the texts that the licenses require.
node -p 'JSON.stringify(Object.keys(require("./client/inspector/package.json").dependencies).map((name) => {
  const { version, license } = require(`${process.argv[1]}/node_modules/${name}/package.json`); return { name, version, license }; }))' \
  "$packages" >"$work/page/packages.json"
for package in $(node -p 'Object.keys(require("./client/inspector/package.json").dependencies).join(" ")'); do
  printf '%s %s\n\n' "$package" "$(node -p "require('$packages/node_modules/$package/package.json').version")"
  cat "$packages/node_modules/$package/LICENSE"*
  printf '\n'
done >"$work/page/licenses.txt"

cd "$start_dir"
target=${1:-$root/client/python/stagedoor/inspect/web}
rm -rf "$target" && mkdir -p "$target" && cp -r "$work/page/." "$target/"

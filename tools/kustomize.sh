#!/usr/bin/env bash
# Prints a command that renders a directory of Kustomize, to be followed by its path: kustomize, kubectl, or a kustomize that is built
# with Go in the cache on first use. Exits with status 1 if there is none and it cannot be built.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
source tools/lib.sh
version=v5.7.1

if command -v kustomize >/dev/null; then echo "kustomize build"; exit; fi
if kubectl kustomize --help >/dev/null 2>&1; then echo "kubectl kustomize"; exit; fi
program=$cache/kustomize-$version/kustomize
[ -x "$program" ] || GOBIN=$(dirname "$program") timeout 300 go install "sigs.k8s.io/kustomize/kustomize/v5@$version" \
  </dev/null >/dev/null 2>&1
[ -x "$program" ] && echo "$program build"

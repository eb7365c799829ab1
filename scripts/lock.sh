#!/usr/bin/env bash
# Writes every lock file of requirements/ anew from pyproject.toml and requirements/local.in.
# A lock names no index, path or machine, and holds a hash for every file of every release.
#
#   scripts/lock.sh UV [--upgrade]
set -euo pipefail
cd "$(dirname "$0")/.."
uv=$1
shift

# Settings of this machine (extra indexes, folders of wheels) must not decide what the project locks.
unset UV_FIND_LINKS UV_INDEX UV_EXTRA_INDEX_URL UV_INDEX_URL UV_DEFAULT_INDEX PIP_FIND_LINKS PIP_EXTRA_INDEX_URL
compile() {
    local out=$1
    shift
    "$uv" --no-config pip compile --quiet --universal --no-header --generate-hashes --annotation-style line \
        --no-emit-index-url --no-emit-find-links --python-version 3.11 --output-file "requirements/$out" "$@"
}

compile dev.txt "$@" --all-extras --group dev pyproject.toml
# The smaller locks are parts of dev.txt: one release of a package in the whole project.
compile core.txt --constraint requirements/dev.txt pyproject.toml
compile runtime.txt --constraint requirements/dev.txt --extra cli --extra openai --extra server pyproject.toml
compile build.txt --constraint requirements/dev.txt --group build
compile bench.txt --constraint requirements/dev.txt --group bench
compile lock.txt "$@" --group lock
compile local.txt --no-deps requirements/local.in

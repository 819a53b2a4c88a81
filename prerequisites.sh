#!/bin/sh
# Say in one sentence all that this machine lacks for `make compare` and `make test`, before anything is installed.
#
#     sh prerequisites.sh [PYTHON]
#
# Exit code 0: nothing is missing; 2: something is, and the sentence on standard error says what.
python=${1:-python3}
missing=
packages=

lacks() { # WHAT PACKAGE...
    missing="${missing:+$missing; }$1"
    shift
    for package in "$@"; do
        case " $packages " in
        *" $package "*) ;;
        *) packages="${packages:+$packages }$package" ;;
        esac
    done
}

command -v make >/dev/null 2>&1 || lacks make make

# What of the Python is missing, a line each. The headers of a Python are where it says itself: one of pyenv or conda has
# its own, and so do venv and ensurepip, which Debian keeps in a package apart.
python_lacks() {
    "$python" - 2>/dev/null <<'END'
import os, sys, sysconfig
if sys.version_info < (3, 10):
    print("old %d.%d" % sys.version_info[:2])
    sys.exit()
try:
    import venv, ensurepip
except ImportError:
    print("venv")
folder = sysconfig.get_path("include")
if not os.path.isfile(os.path.join(folder, "Python.h")):
    print(("headers " if sys.base_prefix == "/usr" else "own-headers ") + folder)
END
}

if ! command -v "$python" >/dev/null 2>&1 || ! "$python" -c '' >/dev/null 2>&1; then
    lacks "Python 3.10 or newer ('$python' does not run)" python3 python3-venv python3-dev
else
    # `python3` is the Python of the system's packages of that name; another one, as python3.12, has its own.
    case $python in
    */*|python3) name=python3 ;;
    *) name=$python ;;
    esac
    lines=$(python_lacks) || lacks "a Python that works ('$python' failed)" "$name"
    while IFS=' ' read -r what where; do
        case $what in
        old) lacks "Python 3.10 or newer ('$python' is $where)" python3 python3-venv python3-dev ;;
        venv) lacks "venv and ensurepip of '$python'" "$name-venv" ;;
        headers) lacks "Python.h of '$python' (not in $where)" "$name-dev" ;;
        own-headers) lacks "Python.h of '$python', which is not the system's (not in $where; install it with its headers)" ;;
        esac
    done <<END
$lines
END
fi

# MPICH's and Open MPI's wrappers call cc and gcc; without the C library's own files either compiles and cannot link.
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
printf '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n' >"$scratch/program.c"
for compiler in gcc cc; do
    if ! command -v "$compiler" >/dev/null 2>&1; then
        lacks "a C compiler ($compiler)" gcc libc6-dev
    elif ! "$compiler" "$scratch/program.c" -o "$scratch/program" >/dev/null 2>&1; then
        lacks "what '$compiler' needs to link a C program" gcc libc6-dev
    fi
done

[ -z "$missing" ] && exit 0
root=
[ "$(id -u)" = 0 ] || root='sudo '
echo "polympi: this machine lacks $missing.${packages:+ On Debian: ${root}apt-get install $packages}" >&2
exit 2

#!/usr/bin/env bash
# Run the demo and `make test-fast` with each Python that the project is for and that is here: on
# the path, or of pyenv. Each has a virtual environment in build/pythons, with the versions of
# constraints.txt. Names those that are not here; ends with 1 where one failed.
set -uo pipefail
cd "$(dirname "$0")/.."
versions=$(sed -n 's/.*"Programming Language :: Python :: \(3\.[0-9]*\)".*/\1/p' pyproject.toml)
failed=0

# which python3.VERSION there is; a name of pyenv that starts nothing is none
found() {
  for python in "$(command -v "python$1")" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python; do
    if [ -n "$python" ] && "$python" -c 'import venv, ensurepip' 2> /dev/null; then
      echo "$python"
      return 0
    fi
  done
  return 1
}

# the versions of constraints.txt, without their hashes: of each only what this Python needs
made() {
  "$1" -m venv "$2" || return
  sed -n 's/^\([a-z0-9._-]*==[^ ]*\) .*/\1/p' constraints.txt > "$2/pins.txt"
  "$2/bin/python" -m pip install --quiet --constraint "$2/pins.txt" --editable '.[test,rest]' || return
  touch "$2/.installed" "$2/.installed-dev"
}

for version in $versions; do
  if ! python=$(found "$version"); then
    echo "Python $version: not here"
    continue
  fi
  venv="build/pythons/$version"
  log="$venv.log"
  mkdir -p build/pythons
  if { [ -e "$venv/.installed-dev" ] || made "$python" "$venv"; } > "$log" 2>&1 &&
    make --old-file="$venv/.installed" demo VENV="$venv" >> "$log" 2>&1 &&
    make --old-file="$venv/.installed-dev" test-fast VENV="$venv" >> "$log" 2>&1; then
    echo "$("$venv/bin/python" --version): $(tail -n 1 "$log")"
  else
    echo "$("$python" --version): FAILED, see $log"
    failed=1
  fi
done
exit $failed

#!/usr/bin/env bash
# Build sdist and wheel into FOLDER (default: dist), check both, and list what the wheel needs
# (mqtriage.cdx.json); nothing is uploaded.
# The wheel is built from the sdist, each in an environment of its own, so what is missing from
# either shows here. Run it with `make dist`, which has the tools (extra `dev`).
set -euo pipefail

folder=$(realpath -m "${1:-dist}")
cd "$(dirname "$0")/.."
rm -f "$folder"/mqtriage-*.tar.gz "$folder"/mqtriage-*.whl
python -m build --outdir "$folder" .
python -m twine check --strict "$folder"/mqtriage-*
check-wheel-contents "$folder"/mqtriage-*.whl
python scripts/make_sbom.py "$folder"/mqtriage-* > "$folder/mqtriage.cdx.json"
if grep -q 'https://mqtriage\.invalid' pyproject.toml; then
  echo 'note: the project URLs in pyproject.toml lead nowhere yet (mqtriage.invalid)' >&2
fi

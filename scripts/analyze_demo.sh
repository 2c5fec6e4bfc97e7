#!/bin/sh
# A simulated month of an estate, snapshots of it, and the report of all jobs of `mqtriage analyze`.
#   scripts/analyze_demo.sh [FOLDER]
# DAYS, QMGRS, SEED and EVERY make it smaller, larger or another month.
set -eu
folder=${1:-$(mktemp -d "${TMPDIR:-/tmp}/mqtriage-month.XXXXXX")}
days=${DAYS:-30} qmgrs=${QMGRS:-5} seed=${SEED:-1} every=${EVERY:-1h}
echo "simulating $days days of $qmgrs queue managers, a snapshot every $every" >&2
mqtriage emulator simulate --days "$days" --qmgrs "$qmgrs" --seed "$seed" \
  --snapshot-every "$every" --out "$folder/month" >&2
page=$folder/report.html
mqtriage analyze report "$folder/month" --html "$page" >&2
for open in xdg-open open; do
  if command -v "$open" >/dev/null 2>&1 && [ -t 1 ]; then
    "$open" "$page" >/dev/null 2>&1 || true
    break
  fi
done
echo "the truth: $folder/month/truth.json" >&2
echo "$page"

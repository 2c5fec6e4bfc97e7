#!/bin/sh
# Simulated days of an estate, snapshots of it, and the report of all jobs of `mqtriage analyze`.
#   scripts/analyze_demo.sh [FOLDER]
# DAYS, QMGRS, SEED and EVERY make it smaller, larger or other days; the defaults take less than two
# minutes on two processors, DAYS=30 QMGRS=5 a few.
set -eu
folder=${1:-$(mktemp -d "${TMPDIR:-/tmp}/mqtriage-month.XXXXXX")}
days=${DAYS:-7} qmgrs=${QMGRS:-3} seed=${SEED:-1} every=${EVERY:-1h}
echo "simulating $days days of $qmgrs queue managers, a snapshot every $every" >&2
mqtriage emulator lab simulate --days "$days" --qmgrs "$qmgrs" --seed "$seed" \
  --interval "$every" --out "$folder/month" >&2
page=$folder/report.html
echo "running all jobs on local Spark" >&2
mqtriage analyze report "$folder/month" --html "$page" >&2
# only where there is a screen, and apart from this shell: a browser may stay in the foreground
open=
if [ "$(uname)" = Darwin ]; then
  open=open
elif [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null 2>&1; then
  open=xdg-open
fi
if [ -n "$open" ] && [ -t 1 ]; then
  nohup "$open" "$page" </dev/null >/dev/null 2>&1 &
fi
echo "the truth: $folder/month/truth.json" >&2
echo "$page"

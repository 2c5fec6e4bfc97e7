#!/usr/bin/env bash
# The main job in ten steps, with public commands only: what an operator of IBM MQ would do, on a
# queue manager in a file that this script makes and removes. Run it with `make demo`.
set -euo pipefail

cd "$(dirname "$0")/.."
samples=emulator/samples
MQTRIAGE_HOME=$(mktemp -d)
export MQTRIAGE_HOME MQTRIAGE_QMGR=QM1 MQTRIAGE_PAGER=
trap 'rm -rf "$MQTRIAGE_HOME"' EXIT

title() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() {
  local word line='$ mqtriage'
  for word in "$@"; do
    if [[ $word =~ [^A-Za-z0-9_./:=%@,-] ]]; then line+=" '$word'"; else line+=" $word"; fi
  done
  printf '\n%s\n' "$line"
  mqtriage "$@"
}

title '1. A queue manager in a file, and definitions from real MQSC'
run emulator create QM1 --clock frozen
run mqsc "$samples/samples.mqsc" -m QM1 --yes

title '2. Messages as real systems send them'
run msg put ORDERS.IN --md-format MQHRF2 --ccsid 1208 --encoding 273 --persistent --yes \
  --file "$samples/order-jms-text.bin" --file "$samples/order-poison.bin"
run msg put ORDERS.BO --md-format MQHRF2 --ccsid 1208 --encoding 273 --persistent --yes \
  --file "$samples/order-backed-out.bin"
run msg put DEAD.LETTER.QUEUE --md-format MQDEAD --ccsid 819 --encoding 546 --persistent --yes \
  --file "$samples/dead-queue-full.bin"

title '3. A staging queue that holds the load: 300 a second, for up to 15 minutes'
run delay define --rate 300/s --max-delay 15m --largest-message 64KiB --yes

title '4. A delayed order, found again by its correlation id'
run msg put ORDERS.IN '{"order": 4711}' --delay 15m --persistent --yes | tee "$MQTRIAGE_HOME/id"
id=$(tail -n 1 "$MQTRIAGE_HOME/id")
run delay browse --correlid "$id"
run delay status

title '5. Poison messages: three rollbacks are enough, then the backout queue'
run backout set PAYMENTS.IN --threshold 3 --boq PAYMENTS.BO --create-boq --yes
run backout ls
poison=$(mqtriage msg browse ORDERS.IN -o ids | tail -n 1)
run emulator lab rollback ORDERS.IN --times 3 --msgid "$poison"
run backout pending

title '6. What waits on the backout queue goes back to where it came from'
run backout browse ORDERS.BO
run backout requeue ORDERS.BO --to ORDERS.IN --expect 1 --yes

title '7. Why is it dead?'
run dlq browse
run rc 2053

title '8. Messages that expired still count, until somebody looks'
run msg put PAYMENTS.REPLY 'rate of the day' --count 3 --expiry 30s --yes
run msg put PAYMENTS.REPLY 'contract' --yes
run emulator clock +1m
run expiry status PAYMENTS.REPLY
run expiry sweep PAYMENTS.REPLY --yes

title '9. A quarter of an hour later the delayed order is there'
run emulator clock +15m
run msg browse ORDERS.IN --md-format MQSTR

title '10. The same for a script: one JSON object a line, exit codes that mean something'
run msg browse ORDERS.IN -o ndjson --limit 1

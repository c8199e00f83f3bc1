#!/usr/bin/env bash
# A shop that lost every webhook: it finds the payment of an order by its reference, and gives the money back.
set -euo pipefail

url=${PAYLINK_URL:-http://localhost:8080}
key=${KEY:?must be set to an API key}
order=${1:?must be the reference of an order, such as A-17}

# call ARGUMENTS: prints the answer. A refusal is printed on stderr and ends the script.
call() {
  local answer status
  answer=$(curl -sS --max-time 10 --retry 3 --retry-connrefused -H "Authorization: Bearer $key" -w '\n%{http_code}' "$@")
  status=${answer##*$'\n'}
  answer=${answer%$'\n'*}
  if [[ $status != 2?? ]]; then
    echo "lost-webhooks: the service answered $status: $answer" >&2
    return 1
  fi
  printf '%s\n' "$answer"
}

# 1. All payments with the reference, also those that failed: the one that succeeded has the money.
found=$(call -G "$url/v1/payments" --data-urlencode "reference=$order")
payment=$(sed 's/{"id":"pay_/\n&/g' <<<"$found" |
  sed -nE 's/^\{"id":"(pay_[^"]*)","link_id":[^,]*,"status":"succeeded".*/\1/p' | sed 1q)
echo "payment  ${payment:=none}"
if [[ $payment == none ]]; then
  echo "lost-webhooks: no payment of $order has succeeded" >&2
  exit 1
fi

# 2. All of its money goes back. The same key again is answered with the same refund: no money goes back twice.
refund=$(call "$url/v1/payments/$payment/refunds" -H "Idempotency-Key: refund-$order" \
  -H 'Content-Type: application/json' -d '{"reason":"Order canceled"}')
echo "refund   $(sed -E 's/^\{"id":"([^"]*)".*"amount":([0-9]+),.*"status":"([a-z]*)".*/\1: \3, \2 centavos/' <<<"$refund")"

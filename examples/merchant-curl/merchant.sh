#!/usr/bin/env bash
# A shop over REST with bash and curl alone: quote, accept, pay (in test mode), read back, close the day.
set -euo pipefail

url=${PAYLINK_URL:-http://localhost:8080}
key=${KEY:?must be set to an API key of test mode}
reference="order-$(date +%s)-$RANDOM$RANDOM"

# call METHOD PATH [IDEMPOTENCY-KEY BODY]: prints the answer. curl tries again, with the same key, what may succeed
# later: no connection, 408, 429 and 5xx. A refusal is printed on stderr and ends the script.
call() {
  local answer status
  local arguments=(-sS -X "$1" "$url$2" -H "Authorization: Bearer $key" -w '\n%{http_code}')
  arguments+=(--max-time 10 --retry 3 --retry-connrefused --retry-max-time 20)
  if (($# > 2)); then arguments+=(-H "Idempotency-Key: $3" -H 'Content-Type: application/json' -d "$4"); fi
  answer=$(curl "${arguments[@]}")
  status=${answer##*$'\n'}
  answer=${answer%$'\n'*}
  if [[ $status != 2?? ]]; then
    echo "merchant: the service answered $status: $answer" >&2
    return 1
  fi
  printf '%s\n' "$answer"
}

# field NAME: the first such field of the JSON on stdin, a text or a number.
field() { grep -oE '[{,]"'"$1"'":("[^"]*"|-?[0-9]+)' | sed -E '1!d; s/^[^:]*:"?//; s/"$//'; }

quote=$(call POST /v1/quotes "quote-$reference" '{"amount":15990,"currency":"BRL","payment_method":"pix"}')
quote_id=$(cut -d'"' -f4 <<<"$quote")
total=$(field payer_total <<<"$quote")
echo "quote    $quote_id: the payer pays $total centavos"

link=$(call POST "/v1/quotes/$quote_id/accept" "accept-$reference" \
  '{"name":"Running shoes","reference":"'"$reference"'"}')
link_id=$(cut -d'"' -f4 <<<"$link")
echo "link     $(field checkout_url <<<"$link")"

# In test mode the shop plays the payer, who would open the link.
paid=$(call POST "/v1/payment_links/$link_id/simulate_payment" "pay-$reference" '{"outcome":"succeeded"}')
payment_id=$(cut -d'"' -f4 <<<"$paid")
payment=$(call GET "/v1/payments/$payment_id")
echo "payment  $payment_id: $(field status <<<"$payment"), $(field gross_amount <<<"$payment") centavos"
if [[ $(field gross_amount <<<"$payment") != "$total" ]]; then
  echo "merchant: $payment_id differs from its quote" >&2
  exit 1
fi

# The day of Brazilian banks, page by page.
day=$(TZ=America/Sao_Paulo date +%F)
count=0 gross=0 found=no after=
while :; do
  page=$(call GET "/v1/payments?from=$day&to=$day&limit=100$after")
  while IFS= read -r one; do
    # Metadata come last, so that the first field is the payment's own.
    if [[ $(field status <<<"$one") != succeeded ]]; then continue; fi
    count=$((count + 1))
    gross=$((gross + $(field gross_amount <<<"$one")))
    if [[ $one == *"\"$payment_id\""* ]]; then found=yes; fi
  done < <(sed 's/{"id":"pay_/\n&/g' <<<"$page")
  cursor=$(sed -E 's/^.*"next_cursor":"?([^"}]*).*$/\1/' <<<"$page")
  if [[ $cursor != pay_* || ${#cursor} -gt 64 ]]; then break; fi
  after="&starting_after=$cursor"
done
echo "day      $day: $count succeeded, $gross centavos paid"
if [[ $found != yes ]]; then
  echo "merchant: $payment_id is not among the payments of $day" >&2
  exit 1
fi

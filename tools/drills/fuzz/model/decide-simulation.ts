import type { Refusal } from "../contract.ts";
import type { Call } from "./call.ts";
import type { Decision } from "./decision.ts";
import { idOf } from "./decide-link.ts";
import { Exactly, type Expected } from "./matching.ts";
import { isConverted, priceOf, ratcheted, type Method, type Price } from "./price.ts";
import {
  currentRate,
  fxBody,
  lacksRate,
  lockName,
  lockNow,
  NET_NOT_POSITIVE,
  NO_RATE,
  priceNow,
  refusalsOf,
  TOO_LARGE,
  totalFee,
  unsupported,
} from "./payment-options.ts";
import { statusOf, withEntry, type Fx, type Link, type Payment, type World } from "./world.ts";

const SESSION_SECONDS = 900;
const CLOSED: Refusal = { code: "invalid_request", param: null };
const UNKNOWN: Refusal = { code: "payment_link_not_found", param: null };
const FAILURES: Readonly<Record<string, string>> = { pix: "pix_rejected", card: "card_declined" };

/** A payment on an open link, at the quote's price held up by the ratchet, or at today's. */
export function decideSimulation(world: World, { caller, id, body }: Call): Decision {
  const { outcome, payment_method: method = "pix" } = body as {
    outcome: Payment["status"];
    payment_method?: Method;
  };
  const link = world.links.get(id);
  if (link?.caller !== caller) return { refusals: [UNKNOWN] };
  if (statusOf(link, world.now) !== "active") return { refusals: [CLOSED] };
  if (!link.methods.includes(method)) return { refusals: [unsupported("payment_method")] };
  const charged = link.quote ? quotedCharge(world, link) : chargeNow(world, link, method);
  if ("refusals" in charged) return charged;
  const { price, fx } = charged;
  return {
    expected: paymentBody(world, link, price, fx, outcome),
    ids: ({ id: paymentId, fx: shown }) => [
      String(paymentId),
      ...(fx && fx.id === undefined ? [lockName(world, caller, (shown as Fx & Lock).rate_history_id)] : []),
    ],
    learn: ({ id: paymentId }, text) => {
      const payment = { id: String(paymentId), caller, createdAt: world.now, status: outcome, price, text };
      const isCompleted = outcome === "succeeded" && !link.isCampaign;
      const status = isCompleted ? "completed" : link.status;
      return {
        ...world,
        payments: withEntry(world.payments, payment.id, payment),
        links: withEntry(world.links, link.id, { ...link, status }),
      };
    },
  };
}

interface Lock {
  readonly rate_history_id: number;
}
type ShownFx = Omit<Fx, "id"> & { id?: number };
type Charge = { readonly price: Price; readonly fx: ShownFx | undefined } | { refusals: Refusal[] };

function quotedCharge(world: World, { caller, quote }: Link): Charge {
  if (!quote) throw new Error("no quote");
  const { price, fx } = quote;
  if (price.rateMicros === null) return { price, fx };
  const rateMicros = ratcheted(price.rateMicros, currentRate(world, caller));
  if (rateMicros === price.rateMicros) return { price, fx };
  const raised = priceOf({ ...price, rateMicros });
  return raised.receiverNet <= 0n
    ? { refusals: [NET_NOT_POSITIVE] }
    : { price: raised, fx: newLock(world, raised) };
}

function chargeNow(world: World, link: Link, method: Method): Charge {
  const { caller, currency, feeHandling, installments } = link;
  if (lacksRate(world, caller, currency)) return { refusals: [NO_RATE] };
  const option = { method, installments: method === "card" ? installments : 1, feeHandling };
  const price = priceNow(world, caller, link, option);
  const refusals = refusalsOf(price).map((refusal) =>
    refusal === TOO_LARGE ? unsupported("payment_method") : refusal,
  );
  return refusals.length > 0 ? { refusals } : { price, fx: newLock(world, price) };
}

function newLock(world: World, price: Price): ShownFx | undefined {
  const lock = lockNow(world, price, SESSION_SECONDS, undefined);
  return lock && { rateMicros: lock.rateMicros, lockedAt: lock.lockedAt, validUntil: lock.validUntil };
}

function paymentBody(
  world: World,
  link: Link,
  price: Price,
  fx: ShownFx | undefined,
  outcome: Payment["status"],
): Expected {
  const { method, installments, payout, feeCurrency } = price;
  const total = Number(price.payerTotal);
  if ((fx !== undefined) !== isConverted(price.currency, payout))
    throw new Error("a lock without conversion");
  return {
    id: idOf("pay"),
    link_id: link.id,
    status: outcome,
    reference: link.reference,
    created_at: world.now,
    updated_at: world.now,
    amount: total,
    currency: "BRL",
    gross_amount: total,
    gross_currency: "BRL",
    fee_amount: Number(totalFee(price)),
    fee_currency: feeCurrency,
    net_amount: Number(price.receiverNet),
    net_currency: payout,
    fee_handling: price.feeHandling,
    ...(fx ? { fx: fxBody(fx) } : {}),
    payment_method: method,
    installments: method === "card" ? installments : null,
    ...(outcome === "failed" ? { failure_code: FAILURES[method] ?? "" } : {}),
    metadata: new Exactly(link.metadata),
  };
}

/** Closing an open link; a second time is no error. */
export function decideCancel(world: World, { caller, id }: Call): Decision {
  const link = world.links.get(id);
  if (link?.caller !== caller) return { refusals: [UNKNOWN] };
  const status = statusOf(link, world.now);
  if (status !== "active" && status !== "canceled") return { refusals: [CLOSED] };
  return {
    expected: { status: "canceled" },
    ids: () => [],
    learn: () => ({ ...world, links: withEntry(world.links, id, { ...link, status: "canceled" }) }),
  };
}

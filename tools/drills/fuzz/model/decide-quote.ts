import type { Refusal } from "../contract.ts";
import type { Call } from "./call.ts";
import type { Decision } from "./decision.ts";
import { idOf } from "./decide-link.ts";
import type { Expected } from "./matching.ts";
import type { Currency, FeeHandling, Method, Price } from "./price.ts";
import {
  fxBody,
  installmentLimit,
  lacksRate,
  lockName,
  lockNow,
  NO_RATE,
  priceNow,
  refusalsOf,
  ruleOf,
  TOO_LARGE,
  totalFee,
  unsupported,
} from "./payment-options.ts";
import { withEntry, type Intent, type Quote, type World } from "./world.ts";

const VALID_SECONDS = 1800;
const LOCK_SECONDS = 3600;
const INSTALLMENTS = 12;
const METHODS = ["pix", "ted", "card"] as const;
const SIGNATURE = /^[\w-]+\.[\w-]+\.[\w-]+$/;

interface QuoteRequest {
  readonly amount?: number;
  readonly currency?: Currency;
  readonly payment_method?: Method;
  readonly installments?: number;
  readonly fee_handling?: FeeHandling;
  readonly payment_intent_id?: string;
}
interface Wanted {
  readonly amount: bigint;
  readonly currency: Currency;
  readonly intent: Intent | undefined;
}

export function decideQuote(world: World, call: Call): Decision {
  const request = call.body as QuoteRequest;
  const wanted = wantedOf(world, call, request);
  if (!wanted) return { refusals: [{ code: "invalid_request", param: "payment_intent_id" }] };
  return request.payment_method === undefined
    ? decideScenarios(world, call, request, wanted)
    : decideOne(world, call, request, wanted, request.payment_method);
}

function wantedOf(world: World, { caller }: Call, request: QuoteRequest): Wanted | undefined {
  const { payment_intent_id: intentId, amount = 0, currency = "BRL" } = request;
  if (intentId === undefined) return { amount: BigInt(amount), currency, intent: undefined };
  const intent = world.intents.get(intentId);
  return intent?.caller === caller ? { ...intent, intent } : undefined;
}

function decideOne(
  world: World,
  { caller }: Call,
  request: QuoteRequest,
  wanted: Wanted,
  method: Method,
): Decision {
  const terms = world.terms[caller];
  if (!terms.methods.includes(method)) return { refusals: [unsupported("payment_method")] };
  const rule = ruleOf(world, caller, method, wanted.currency);
  const limit = method === "card" ? installmentLimit(world, caller, rule) : 1;
  const installments = request.installments ?? Math.min(limit, INSTALLMENTS);
  const refusals: Refusal[] = [];
  if (installments > limit) refusals.push({ code: "invalid_request", param: "installments" });
  if (lacksRate(world, caller, wanted.currency)) refusals.push(NO_RATE);
  if (refusals.length > 0) return { refusals };
  const price = priceNow(world, caller, wanted, { method, installments, feeHandling: request.fee_handling });
  if (refusalsOf(price).length > 0) return { refusals: refusalsOf(price) };
  const ruleKey = `${caller} ${method} ${price.feeCurrency}`;
  return {
    expected: {
      id: idOf("qt"),
      tenant_id: terms.tenantId,
      mode: terms.mode,
      payment_intent_id: wanted.intent?.id ?? null,
      payment_method: method,
      ...offered(world, price),
      ...(price.rateMicros === null ? {} : { fx_rate_history_id: Number.isSafeInteger }),
      breakdown: breakdownOf(price),
      rule_id: world.ruleIds.get(ruleKey) ?? idOf("rul"),
      created_at: world.now,
    },
    ids: ({ id, fx_rate_history_id: lock }) => [
      String(id),
      ...(lock === undefined ? [] : [lockName(world, caller, lock)]),
    ],
    learn: (body) => ({
      ...withQuotes(world, [
        made(world, caller, price, body["id"], body["fx_rate_history_id"], wanted.intent),
      ]),
      ruleIds: withEntry(world.ruleIds, ruleKey, String(body["rule_id"])),
    }),
  };
}

/** Each payment option that can be offered is a quote of its own; all share one lock of the rate. */
function decideScenarios(world: World, { caller }: Call, request: QuoteRequest, wanted: Wanted): Decision {
  if (lacksRate(world, caller, wanted.currency)) return { refusals: [NO_RATE] };
  let isTooLarge = false;
  const prices = METHODS.filter((method) => world.terms[caller].methods.includes(method)).flatMap(
    (method) => {
      const limit = installmentLimit(world, caller, ruleOf(world, caller, method, wanted.currency));
      const most = method === "card" ? Math.min(limit, request.installments ?? limit) : 1;
      const options = Array.from({ length: most }, (_, index) => index + 1).map((installments) =>
        priceNow(world, caller, wanted, { method, installments, feeHandling: request.fee_handling }),
      );
      isTooLarge ||= options.some((price) => refusalsOf(price).includes(TOO_LARGE));
      return options.filter((price) => refusalsOf(price).length === 0);
    },
  );
  if (prices.length === 0 && isTooLarge) return { refusals: [TOO_LARGE] };
  const of = (method: Method): Expected[] =>
    prices
      .filter((price) => price.method === method)
      .map((price) => ({ quote_id: idOf("qt"), method, ...offered(world, price) }));
  return {
    expected: { scenarios: { pix: of("pix")[0] ?? null, ted: of("ted")[0] ?? null, card: of("card") } },
    ids: (body) => [
      ...listed(body).map(({ quote_id: id }) => id),
      ...new Set(listed(body).flatMap(({ fx }) => (fx ? [lockName(world, caller, fx.rate_history_id)] : []))),
    ],
    learn: (body) => {
      const scenarios = listed(body);
      const quotes = prices.map((price, index) => {
        const { quote_id: id, fx } = scenarios[index] as Scenario;
        return made(world, caller, price, id, fx?.rate_history_id, wanted.intent);
      });
      return withQuotes(world, quotes);
    },
  };
}

/** The scenarios of an answer, in the order of their prices. */
function listed(body: Readonly<Record<string, unknown>>): Scenario[] {
  const { pix, ted, card } = body["scenarios"] as { pix: Scenario; ted: Scenario; card: Scenario[] };
  return [pix, ted, ...card].filter((scenario) => scenario !== null);
}

interface Scenario {
  readonly quote_id: string;
  readonly fx?: { readonly rate_history_id: number };
}

function made(
  world: World,
  caller: Call["caller"],
  price: Price,
  id: unknown,
  lock: unknown,
  intent: Intent | undefined,
): Quote {
  const fx = lockNow(world, price, LOCK_SECONDS, lock);
  const expiresAt = world.now + VALID_SECONDS;
  return { id: String(id), caller, price, fx, expiresAt, intent, linkId: undefined };
}

function withQuotes(world: World, quotes: readonly Quote[]): World {
  return {
    ...world,
    quotes: new Map([...world.quotes, ...quotes.map((quote) => [quote.id, quote] as const)]),
  };
}

function offered(world: World, price: Price) {
  const fx = lockNow(world, price, LOCK_SECONDS, undefined);
  return {
    installments: price.installments,
    payer_total: Number(price.payerTotal),
    payer_currency: "BRL",
    receiver_net: Number(price.receiverNet),
    receiver_currency: price.payout,
    ...(fx
      ? { fx: fxBody({ rateMicros: fx.rateMicros, lockedAt: fx.lockedAt, validUntil: fx.validUntil }) }
      : {}),
    expires_at: world.now + VALID_SECONDS,
    signature: SIGNATURE,
  };
}

function breakdownOf(price: Price): Expected {
  const { feeCurrency, fee, percent, raw, rule, surcharge, iofAmount, isIofApplicable, iof } = price;
  return {
    fee_handling: price.feeHandling,
    total_fee: { amount: Number(totalFee(price)), currency: feeCurrency },
    service_fee: {
      final_cents: Number(fee),
      final_currency: feeCurrency,
      percent_amount_cents: Number(percent),
      fixed_cents: Number(rule.fixed),
      raw_total_cents: Number(raw),
      min_applied: raw < rule.min,
      max_applied: rule.max !== null && raw > rule.max,
    },
    installment_surcharge: { amount: Number(surcharge), currency: feeCurrency },
    tax: {
      iof_amount_cents: Number(iofAmount),
      iof_applicable: isIofApplicable,
      iof_enabled: iof.isEnabled,
      iof_currency: feeCurrency,
    },
  };
}

import { CHECKOUT_BASE } from "../../../../test/support/core-options.ts";
import type { Refusal } from "../contract.ts";
import { Mismatch } from "../part.ts";
import type { Call } from "./call.ts";
import type { Decision } from "./decision.ts";
import { Exactly } from "./matching.ts";
import { isConverted, type Currency, type FeeHandling, type Method } from "./price.ts";
import {
  installmentLimit,
  lacksRate,
  NO_RATE,
  priceNow,
  refusalsOf,
  ruleOf,
  unpayable,
  unsupported,
} from "./payment-options.ts";
import { withEntry, type Intent, type JsonObject, type Link, type World } from "./world.ts";

const SINGLE_SECONDS = 86_400;
const INSTALLMENTS = 12;

export function idOf(prefix: string): RegExp {
  return new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`);
}

export function isAddress(value: unknown): boolean {
  return String(value).startsWith(`${CHECKOUT_BASE}/pay/`);
}

/** Throws Mismatch where a link's address is another link's. */
export function requireAddress(address: unknown, id: unknown): void {
  if (address !== `${CHECKOUT_BASE}/pay/${String(id)}`)
    throw new Mismatch(`${String(id)} is paid at ${String(address)}`);
}

/** When a link made now ends; 0: never. */
export function endOf(world: World, expiresIn: number | undefined, isCampaign: boolean): number {
  const seconds = expiresIn ?? (isCampaign ? 0 : SINGLE_SECONDS);
  return seconds === 0 ? 0 : world.now + seconds;
}

export function decideLink(world: World, { caller, body }: Call): Decision {
  const terms = world.terms[caller];
  const given = body as {
    amount: number;
    currency: Currency;
    reference?: string;
    payment_methods?: Method[];
    max_installments?: number;
    fee_handling?: FeeHandling;
    expires_in?: number;
    campaign?: boolean;
    description?: string;
    product_ref?: string;
    details?: string;
    product_images?: string[];
    collect_fields?: string[];
    metadata?: JsonObject;
  };
  const { currency, payment_methods: methods = ["pix"], fee_handling: feeHandling = "absorb" } = given;
  const installmentsMax = given.max_installments ?? Math.min(terms.installmentsMax, INSTALLMENTS);
  const refusals = linkRefusals(world, caller, given, methods, installmentsMax, feeHandling);
  if (refusals.length > 0) return { refusals };
  const isCampaign = given.campaign ?? false;
  const expiresAt = endOf(world, given.expires_in, isCampaign);
  const { reference = null, metadata = {} } = given;
  const link = (id: string): Link => ({
    id,
    caller,
    status: "active",
    isCampaign,
    expiresAt,
    amount: BigInt(given.amount),
    currency,
    methods,
    feeHandling,
    installments: 1,
    quote: undefined,
    reference,
    metadata,
  });
  return {
    expected: {
      id: idOf("pl"),
      mode: terms.mode,
      status: "active",
      checkout_url: isAddress,
      amount: given.amount,
      currency,
      reference,
      target_currency: isConverted(currency, terms.payout) ? "USD" : "BRL",
      charge_currency: "BRL",
      merchant_payout_currency: terms.payout,
      payment_methods: methods,
      max_installments: installmentsMax,
      fee_handling: feeHandling,
      expires_at: expiresAt,
      description: given.description ?? null,
      product_ref: given.product_ref ?? null,
      details: given.details ?? null,
      product_images: given.product_images ?? [],
      collect_fields: given.collect_fields ?? terms.collectFields,
      metadata: new Exactly(metadata),
      created: world.now,
      campaign: isCampaign,
      quote_id: null,
      payment_intent_id: null,
      updated_at: null,
      ...unpayable(world, caller),
    },
    ids: ({ id }) => [String(id)],
    learn: ({ id, checkout_url: address }) => {
      requireAddress(address, id);
      return { ...world, links: withEntry(world.links, String(id), link(String(id))) };
    },
  };
}

/** Every payment option that the link would offer must leave the merchant something and be one that can be charged. */
function linkRefusals(
  world: World,
  caller: Call["caller"],
  { amount, currency }: { amount: number; currency: Currency },
  methods: readonly Method[],
  installmentsMax: number,
  feeHandling: FeeHandling,
): Refusal[] {
  const missing = methods.filter((method) => !world.terms[caller].methods.includes(method));
  // Of several reasons the contract does not say which comes first.
  const refusals: Refusal[] = missing.length > 0 ? [unsupported("payment_methods")] : [];
  const limit = installmentLimit(world, caller, ruleOf(world, caller, "card", currency));
  if (methods.includes("card") && installmentsMax > limit)
    refusals.push({ code: "invalid_request", param: "max_installments" });
  if (lacksRate(world, caller, currency)) return [...refusals, NO_RATE];
  if (missing.length > 0) return refusals;
  for (const method of methods) {
    const most = method === "card" ? Math.min(installmentsMax, limit) : 1;
    for (let installments = 1; installments <= most; installments++) {
      const option = { method, installments, feeHandling };
      refusals.push(...refusalsOf(priceNow(world, caller, { amount: BigInt(amount), currency }, option)));
    }
  }
  return refusals;
}

export function decideIntent(world: World, { caller, body }: Call): Decision {
  const { legalEntityId, mode, settlementDays } = world.terms[caller];
  const given = body as {
    legal_entity_id?: string;
    amount: number;
    currency: Currency;
    payer_country?: string;
    settlement_term?: string;
    fee_strategy?: JsonObject;
    metadata?: JsonObject;
    reference?: string;
  };
  if (given.legal_entity_id !== undefined && given.legal_entity_id !== legalEntityId)
    return { refusals: [{ code: "invalid_request", param: "legal_entity_id" }] };
  const { amount, currency, metadata = {}, reference = null } = given;
  const intent = (id: string): Intent => ({
    id,
    caller,
    amount: BigInt(amount),
    currency,
    reference,
    metadata,
  });
  return {
    expected: {
      id: idOf("pi"),
      mode,
      status: "created",
      legal_entity_id: legalEntityId,
      amount,
      currency,
      payer_country: given.payer_country ?? null,
      settlement_term: given.settlement_term ?? `D+${settlementDays}`,
      fee_strategy: given.fee_strategy === undefined ? null : new Exactly(given.fee_strategy),
      fx_rate_history_id: null,
      reference,
      metadata: new Exactly(metadata),
      created_at: world.now,
    },
    ids: ({ id }) => [String(id)],
    learn: ({ id }) => ({ ...world, intents: withEntry(world.intents, String(id), intent(String(id))) }),
  };
}

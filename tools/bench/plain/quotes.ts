import type { FastifyInstance } from "fastify";
import { typeid } from "typeid-js";
import { authenticate, pool, refusal, settingsOf, type Caller } from "./context.ts";
import { eventValues, insertEvent, linkOf } from "./event.ts";
import { priceNow, priceValues, type Priced } from "./price.ts";
import { signQuote } from "./quote-signature.ts";
import {
  CONSUME_QUOTE,
  INSERT_ACCEPTED_LINK,
  INSERT_INTENT,
  INSERT_PRICE,
  INSERT_QUOTE,
  QUOTE,
} from "./sale-statements.ts";
import { INSERT_ROUTE } from "./statements.ts";
import { requireChanged, writeOnce } from "./write-once.ts";

const QUOTE_SECONDS = 1800;
const LINK_SECONDS = 86_400;
const QUOTE_FIELDS = new Set(["amount", "currency", "payment_method", "fee_handling"]);
const ACCEPT_FIELDS = new Set(["name", "reference", "description", "metadata", "expires_in"]);

interface QuoteBody {
  amount: number;
  currency: "BRL" | "USD";
  payment_method: "pix";
  fee_handling?: "absorb" | "pass_through";
}

interface AcceptBody {
  name?: string;
  reference?: string;
  metadata?: Record<string, unknown>;
}

/** Adds POST /v1/quotes, for PIX, and POST /v1/quotes/{id}/accept. */
export function addQuotes(app: FastifyInstance, checkoutBase: string): void {
  app.post("/v1/quotes", async (request, reply) => {
    const caller = await authenticate(request, "quotes:write");
    const body = request.body as QuoteBody;
    requireFields(body, QUOTE_FIELDS);
    if (!Number.isSafeInteger(body.amount) || body.amount < 1)
      throw refusal(400, "invalid_request", "Not valid.", "amount");
    if (body.payment_method !== "pix")
      throw refusal(400, "payment_method_unsupported", "Not offered.", "payment_method");
    return await writeOnce(request, reply, caller, 201, async () => {
      const { tenantId } = caller;
      const { id: legalEntityId, settlement_days: days } = await settingsOf(tenantId);
      const feeHandling = body.fee_handling ?? "absorb";
      const priced = await priceNow(tenantId, body.amount, body.currency, feeHandling);
      const created = Math.floor(Date.now() / 1000);
      const terms = { id: typeid("qt").toString(), created, expires: created + QUOTE_SECONDS };
      const signature = await signQuote(caller, terms, priced);
      const now = new Date(created * 1000);
      const strategy = JSON.stringify({ fee_handling: feeHandling });
      const quote = [tenantId, terms.id, priced.id, legalEntityId, `D+${days}`, strategy, signature];
      return {
        answer: quoteAnswer(caller, terms, priced, signature),
        write: async (client) => {
          const price = priceValues(tenantId, priced, now);
          await client.query({ name: "insert price", text: INSERT_PRICE, values: price });
          const values = [...quote, new Date(terms.expires * 1000), now];
          await client.query({ name: "insert quote", text: INSERT_QUOTE, values });
        },
      };
    });
  });

  app.post("/v1/quotes/:id/accept", async (request, reply) => {
    const caller = await authenticate(request, "payment_intents:write");
    const { id: quoteId } = request.params as { id: string };
    const body = (request.body ?? {}) as AcceptBody;
    requireFields(body, ACCEPT_FIELDS);
    return await writeOnce(request, reply, caller, 201, async () => {
      const { tenantId, mode } = caller;
      const values = [tenantId, quoteId];
      const [quote] = (await pool.query({ name: "quote", text: QUOTE, values })).rows;
      if (!quote) throw refusal(404, "quote_not_found", "There is no such quote.");
      const now = new Date(Math.floor(Date.now() / 1000) * 1000);
      if (quote.consumed_at !== null) throw refusal(409, "quote_already_used", "Accepted already.");
      if (quote.expires_at <= now) throw refusal(400, "quote_expired", "The quote has expired.");
      const [id, intentId] = [typeid("pl").toString(), typeid("pi").toString()];
      const expiresAt = new Date(now.getTime() + LINK_SECONDS * 1000);
      const { name = null, reference = null, metadata = {} } = body;
      const strategy = JSON.stringify(quote.fee_strategy);
      const kept = JSON.stringify(metadata);
      const intent = [
        tenantId,
        intentId,
        quoteId,
        quote.legal_entity_id,
        quote.amount_minor,
        quote.currency,
        quote.settlement_term,
        strategy,
        reference,
        kept,
        now,
      ];
      const link = [
        tenantId,
        id,
        "active",
        false,
        quote.amount_minor,
        quote.currency,
        quote.receiver_currency,
        quote.legal_entity_id,
        reference,
        [quote.method],
        quote.installments,
        quote.fee_handling,
        name,
        [],
        [],
        kept,
        quoteId,
        quote.price_id,
        intentId,
        expiresAt,
        now,
      ];
      const columns = {
        ...quote,
        id,
        payout_currency: quote.receiver_currency,
        reference,
        payment_methods: [quote.method],
        max_installments: quote.installments,
        description: name,
        product_ref: null,
        details: null,
        product_images: [],
        collect_fields: [],
        metadata,
        expires_at: expiresAt,
        created_at: now,
      };
      const data = { payment_link: linkOf(columns, mode, "active", checkoutBase) };
      const event = eventValues(caller, "link.created", { objectId: id, reference, data });
      const url = `${checkoutBase}/pay/${id}`;
      return {
        answer: {
          id,
          url,
          checkout_url: url,
          amount: Number(quote.amount_minor),
          currency: quote.currency,
          payment_method: quote.method,
          installments: quote.installments,
          payer_total: Number(quote.payer_total_minor),
          payer_currency: quote.payer_currency,
          receiver_net: Number(quote.receiver_net_minor),
          receiver_currency: quote.receiver_currency,
          payment_intent_id: intentId,
          expires_at: expiresAt.getTime() / 1000,
          ...(reference === null ? {} : { reference }),
        },
        write: async (client) => {
          const consumed = [tenantId, quoteId, now];
          requireChanged(
            await client.query({ name: "consume quote", text: CONSUME_QUOTE, values: consumed }),
          );
          await client.query({ name: "insert intent", text: INSERT_INTENT, values: intent });
          await client.query({ name: "insert accepted link", text: INSERT_ACCEPTED_LINK, values: link });
          await client.query({ name: "insert route", text: INSERT_ROUTE, values: [id, tenantId, mode] });
          await insertEvent(client, event);
        },
      };
    });
  });
}

function requireFields(body: unknown, known: ReadonlySet<string>): void {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw refusal(400, "invalid_request", "Not an object.");
  const unknown = Object.keys(body).find((name) => !known.has(name));
  if (unknown !== undefined) throw refusal(400, "unknown_parameter", "Not known.", unknown);
}

/** The contract's Quote. */
function quoteAnswer(
  { tenantId, mode }: Caller,
  { id, created, expires }: { readonly id: string; readonly created: number; readonly expires: number },
  { price, feeHandling, rule }: Priced,
  signature: string,
): object {
  const currency = price.pricingCurrency;
  return {
    id,
    tenant_id: tenantId,
    mode,
    payment_intent_id: null,
    payment_method: "pix",
    installments: 1,
    payer_total: Number(price.payerTotalMinor),
    payer_currency: price.payerCurrency,
    receiver_net: Number(price.receiverNetMinor),
    receiver_currency: price.receiverCurrency,
    breakdown: {
      fee_handling: feeHandling,
      total_fee: { amount: Number(price.totalFeeMinor), currency },
      service_fee: {
        final_cents: Number(price.serviceFeeMinor),
        final_currency: currency,
        percent_amount_cents: Number(price.percentAmountMinor),
        fixed_cents: Number(price.fixedMinor),
        raw_total_cents: Number(price.rawTotalMinor),
        min_applied: price.minApplied,
        max_applied: price.maxApplied,
      },
      installment_surcharge: { amount: Number(price.installmentSurchargeMinor), currency },
      tax: {
        iof_amount_cents: Number(price.iofAmountMinor),
        iof_applicable: price.iofApplicable,
        iof_enabled: price.iofEnabled,
        iof_currency: currency,
      },
    },
    rule_id: rule.id,
    expires_at: expires,
    signature,
    created_at: created,
  };
}

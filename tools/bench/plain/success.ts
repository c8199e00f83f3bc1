import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { typeid } from "typeid-js";
import { successLines, type BookedPrice } from "../../../src/ledger/postings.ts";
import { authenticate, pool, refusal, settingsOf } from "./context.ts";
import { wakeDeliveries } from "./deliveries.ts";
import { eventValues, insertEvent, linkOf } from "./event.ts";
import { paymentOf } from "./payment.ts";
import { priceNow, priceValues, type Priced } from "./price.ts";
import {
  COMPLETE_LINK,
  INSERT_ENTRY,
  INSERT_LINES,
  INSERT_PAYMENT,
  INSERT_PRICE,
  INSERT_SETTLEMENT,
  SUCCEED,
  SUCCESS,
} from "./sale-statements.ts";
import { requireChanged, writeOnce } from "./write-once.ts";

const days = new Intl.DateTimeFormat("sv-SE", { timeZone: "America/Sao_Paulo" });

/** Adds POST /v1/payment_links/{id}/simulate_payment with the outcome succeeded. */
export function addSuccess(app: FastifyInstance, checkoutBase: string): void {
  app.post("/v1/payment_links/:id/simulate_payment", async (request, reply) => {
    const caller = await authenticate(request, "payment_links:write");
    const { id: linkId } = request.params as { id: string };
    const { outcome } = (request.body ?? {}) as { outcome?: string };
    if (outcome !== "succeeded") throw refusal(400, "invalid_request", "Not valid.", "outcome");
    const answered = await writeOnce(request, reply, caller, 200, async () => {
      const { tenantId, mode } = caller;
      const [link] = (await pool.query({ name: "success", text: SUCCESS, values: [tenantId, linkId] })).rows;
      if (!link) throw refusal(404, "payment_link_not_found", "There is no such link.");
      const now = new Date(Math.floor(Date.now() / 1000) * 1000);
      if (link.status !== "active" || (link.expires_at !== null && link.expires_at <= now))
        throw refusal(400, "invalid_request", "The link is closed.");
      const { settlement_days: settlementDays } = await settingsOf(tenantId);
      // Without a payment in progress, one starts and ends at once.
      const isNewPriced = link.price_id === null;
      const priced = isNewPriced
        ? await priceNow(tenantId, link.link_amount_minor, link.link_currency, link.link_fee_handling)
        : undefined;
      const row = priced ? rowOf(priced) : link;
      const paymentId = link.payment_id ?? typeid("pay").toString();
      const createdAt = link.created_at ?? now;
      const payment = paymentOf({
        ...row,
        id: paymentId,
        link_id: linkId,
        status: "succeeded",
        failure_code: null,
        reference: link.reference,
        metadata: link.metadata,
        created_at: createdAt.getTime() / 1000,
        updated_at: now.getTime() / 1000,
        rate_micros: null,
      });
      const { reference } = link;
      const completed = linkOf(link.link, mode, "completed", checkoutBase);
      const end: End = {
        tenantId,
        paymentId,
        linkId,
        now,
        termDays:
          link.settlement_term === null ? settlementDays : Number(link.settlement_term.slice("D+".length)),
        price: priced?.price ?? bookedOf(link),
        events: [
          eventValues(caller, "payment.succeeded", { objectId: paymentId, reference, data: { payment } }),
          eventValues(caller, "link.completed", {
            objectId: linkId,
            reference,
            data: { payment_link: completed },
          }),
        ],
      };
      return {
        answer: payment,
        write: async (client) => {
          if (priced) {
            const values = priceValues(tenantId, priced, now);
            await client.query({ name: "insert price", text: INSERT_PRICE, values });
          }
          if (link.payment_id === null) {
            const kept = JSON.stringify(link.metadata);
            const priceId = priced?.id ?? link.price_id;
            const values = [
              tenantId,
              paymentId,
              linkId,
              priceId,
              "pix",
              "succeeded",
              !link.is_campaign,
              link.reference,
              kept,
              now,
              now,
            ];
            await client.query({ name: "insert payment", text: INSERT_PAYMENT, values });
          } else {
            const values = [tenantId, paymentId, now];
            requireChanged(await client.query({ name: "succeed", text: SUCCEED, values }));
          }
          await book(client, end);
        },
      };
    });
    wakeDeliveries();
    return answered;
  });
}

interface End {
  readonly tenantId: string;
  readonly paymentId: string;
  readonly linkId: string;
  readonly now: Date;
  readonly termDays: number;
  readonly price: BookedPrice;
  readonly events: readonly unknown[][];
}

/** Writes what a success brings: the completed link, the entry with its lines, the settlement, the events. */
async function book(client: pg.PoolClient, end: End): Promise<void> {
  const { tenantId, paymentId, linkId, now, termDays, price, events } = end;
  requireChanged(
    await client.query({ name: "complete link", text: COMPLETE_LINK, values: [tenantId, linkId, now] }),
  );
  const entry = [tenantId, paymentId, "payment", "", now];
  await client.query({ name: "insert entry", text: INSERT_ENTRY, values: entry });
  const lines = successLines(price);
  const columns = [
    lines.map((_, index) => index + 1),
    lines.map(({ account }) => account),
    lines.map(({ currency }) => currency),
    lines.map(({ debitMinor }) => debitMinor),
    lines.map(({ creditMinor }) => creditMinor),
  ];
  await client.query({ name: "insert lines", text: INSERT_LINES, values: [tenantId, paymentId, ...columns] });
  const settlement = [tenantId, paymentId, days.format(now), termDays];
  await client.query({ name: "insert settlement", text: INSERT_SETTLEMENT, values: settlement });
  for (const event of events) await insertEvent(client, event);
}

/** Returns the columns of a new price that a payment's answer has. */
function rowOf({ price, feeHandling }: Priced) {
  return {
    method: "pix",
    installments: 1,
    fee_handling: feeHandling,
    payer_total_minor: String(price.payerTotalMinor),
    payer_currency: price.payerCurrency,
    total_fee_minor: String(price.totalFeeMinor),
    pricing_currency: price.pricingCurrency,
    receiver_net_minor: String(price.receiverNetMinor),
    receiver_currency: price.receiverCurrency,
    fx_rate_history_id: null,
    fx_locked_at: null,
    fx_valid_until: null,
  };
}

interface BookedColumns {
  readonly pricing_currency: BookedPrice["pricingCurrency"];
  readonly gross_minor: string;
  readonly net_minor: string;
  readonly service_fee_minor: string;
  readonly installment_surcharge_minor: string;
  readonly iof_amount_minor: string;
  readonly payer_total_minor: string;
  readonly receiver_net_minor: string;
  readonly receiver_currency: BookedPrice["receiverCurrency"];
}

function bookedOf(row: BookedColumns): BookedPrice {
  return {
    pricingCurrency: row.pricing_currency,
    grossMinor: BigInt(row.gross_minor),
    netMinor: BigInt(row.net_minor),
    serviceFeeMinor: BigInt(row.service_fee_minor),
    installmentSurchargeMinor: BigInt(row.installment_surcharge_minor),
    iofAmountMinor: BigInt(row.iof_amount_minor),
    payerTotalMinor: BigInt(row.payer_total_minor),
    receiverNetMinor: BigInt(row.receiver_net_minor),
    receiverCurrency: row.receiver_currency,
  };
}

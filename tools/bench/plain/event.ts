import type pg from "pg";
import { typeid } from "typeid-js";
import { INSERT_EVENT } from "./statements.ts";

/** A link as its table has it. */
export interface LinkColumns {
  readonly id: string;
  readonly amount_minor: number | string;
  readonly currency: string;
  readonly payout_currency: string;
  readonly reference: string | null;
  readonly payment_methods: readonly string[];
  readonly max_installments: number;
  readonly fee_handling: string;
  readonly description: string | null;
  readonly product_ref: string | null;
  readonly details: string | null;
  readonly product_images: readonly string[];
  readonly collect_fields: readonly string[];
  readonly metadata: object;
  readonly expires_at: Date | string | null;
  readonly created_at: Date | string;
}

const secondsOf = (time: Date | string): number => Math.floor(new Date(time).getTime() / 1000);

/** The contract's PaymentLink. */
export function linkOf(row: LinkColumns, mode: string, status: string, checkoutBase: string): object {
  const { id, currency, payout_currency: payoutCurrency } = row;
  return {
    id,
    mode,
    status,
    checkout_url: `${checkoutBase}/pay/${id}`,
    amount: Number(row.amount_minor),
    currency,
    reference: row.reference,
    target_currency: payoutCurrency === "USD" || currency === "USD" ? "USD" : "BRL",
    charge_currency: "BRL",
    merchant_payout_currency: payoutCurrency,
    payment_methods: row.payment_methods,
    max_installments: row.max_installments,
    fee_handling: row.fee_handling,
    expires_at: row.expires_at === null ? 0 : secondsOf(row.expires_at),
    description: row.description,
    product_ref: row.product_ref,
    details: row.details,
    product_images: row.product_images,
    collect_fields: row.collect_fields,
    metadata: row.metadata,
    created: secondsOf(row.created_at),
  };
}

/** Returns the values of an event's row. A trigger inserts its deliveries. */
export function eventValues(
  { tenantId, mode }: { readonly tenantId: string; readonly mode: string },
  type: string,
  { objectId, reference, data }: { objectId: string; reference: string | null; data: object },
): unknown[] {
  const id = typeid("evt").toString();
  const now = new Date();
  const body = { id, type, created: secondsOf(now), mode, reference, data };
  return [tenantId, id, type, objectId, reference, Buffer.from(JSON.stringify(body)), now];
}

export async function insertEvent(client: pg.PoolClient, values: unknown[]): Promise<void> {
  await client.query({ name: "insert event", text: INSERT_EVENT, values });
}

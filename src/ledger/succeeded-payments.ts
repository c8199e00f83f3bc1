import type { Environment } from "../platform/db/database.ts";
import type { PaymentMethod } from "../pricing/fee-rule.ts";

/** A succeeded payment, with what the e-mail to its merchant says. */
export interface SucceededPayment {
  readonly id: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly method: PaymentMethod;
  /** The link's product name, or null. */
  readonly product: string | null;
  readonly succeededAt: Date;
}

type Row = Omit<SucceededPayment, "amountMinor" | "succeededAt"> & {
  readonly amountMinor: string;
  readonly seconds: number;
};

/** What of a tenant's payments is asked for. */
export interface SucceededAsked {
  readonly tenantId: string;
  readonly since: Date;
  /** Payments that are known already. */
  readonly except: readonly string[];
  readonly limit: number;
}

/** Returns the payments that succeeded since then, the earliest first, by the time of their event. */
export async function succeededPayments(
  { pool }: Environment,
  { tenantId, since, except, limit }: SucceededAsked,
): Promise<SucceededPayment[]> {
  const { rows } = await pool.query<Row>({
    name: "succeeded payments",
    text: `SELECT p.id, r.payer_total_minor::text AS "amountMinor", r.payer_currency AS currency, r.method,
        l.description AS product, date_part('epoch', e.created_at) AS seconds
      FROM event e JOIN payment p ON p.tenant_id = e.tenant_id AND p.id = e.object_id
        JOIN price r ON r.tenant_id = p.tenant_id AND r.id = p.price_id
        LEFT JOIN payment_link l ON l.tenant_id = p.tenant_id AND l.id = p.link_id
      WHERE e.tenant_id = $1 AND e.created_at >= $2 AND e.type = 'payment.succeeded' AND e.object_id <> ALL ($3)
      ORDER BY e.created_at, e.id LIMIT $4`,
    values: [tenantId, since, except, limit],
  });
  return rows.map(({ amountMinor, seconds, ...row }) => ({
    ...row,
    amountMinor: BigInt(amountMinor),
    succeededAt: new Date(seconds * 1000),
  }));
}

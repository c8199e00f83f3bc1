/** A row of the list's statement, bigints as text. */
export interface PaymentRow {
  id: string;
  link_id: string | null;
  status: string;
  failure_code: string | null;
  reference: string | null;
  metadata: Record<string, unknown>;
  created_at: number;
  updated_at: number | null;
  method: string;
  installments: number;
  fee_handling: string;
  payer_total_minor: string;
  payer_currency: string;
  total_fee_minor: string;
  pricing_currency: string;
  receiver_net_minor: string;
  receiver_currency: string;
  rate_micros: string | null;
  fx_rate_history_id: string | null;
  fx_locked_at: number | null;
  fx_valid_until: number | null;
}

/** The contract's Payment. */
export function paymentOf(row: PaymentRow) {
  const gross = Number(row.payer_total_minor);
  return {
    id: row.id,
    link_id: row.link_id,
    status: row.status,
    reference: row.reference,
    created_at: row.created_at,
    updated_at: row.updated_at,
    amount: gross,
    currency: row.payer_currency,
    gross_amount: gross,
    gross_currency: row.payer_currency,
    fee_amount: Number(row.total_fee_minor),
    fee_currency: row.pricing_currency,
    net_amount: Number(row.receiver_net_minor),
    net_currency: row.receiver_currency,
    fee_handling: row.fee_handling,
    ...(row.rate_micros === null
      ? {}
      : {
          fx: {
            rate: Number(row.rate_micros) / 1e6,
            base: "USD",
            quote: "BRL",
            locked_at: row.fx_locked_at,
            valid_until: row.fx_valid_until,
            rate_history_id: Number(row.fx_rate_history_id),
          },
        }),
    payment_method: row.method,
    installments: row.method === "card" ? row.installments : null,
    ...(row.failure_code === null ? {} : { failure_code: row.failure_code }),
    metadata: row.metadata,
  };
}

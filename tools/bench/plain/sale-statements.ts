/** Returns a statement that inserts one row of these columns, in their order. */
function insertInto(table: string, columns: string): string {
  const places = columns.split(",").map((_, index) => `$${index + 1}`);
  return `INSERT INTO ${table} (${columns}) VALUES (${places.join(", ")})`;
}

/** Its values are those of `priceValues`. */
export const INSERT_PRICE = insertInto(
  "price",
  `tenant_id, id, amount_minor, currency, method, installments, fee_handling, rule_id, percent_ppm, min_minor, max_minor,
   surcharge_ppm, iof_ppm, pricing_currency, base_minor, gross_minor, net_minor, percent_amount_minor, fixed_minor,
   raw_total_minor, service_fee_minor, installment_surcharge_minor, iof_amount_minor, total_fee_minor, payer_total_minor,
   receiver_net_minor, first_installment_minor, other_installment_minor, min_applied, max_applied, iof_applicable,
   iof_enabled, payer_currency, receiver_currency, created_at`,
);

export const INSERT_QUOTE = insertInto(
  "quote",
  "tenant_id, id, price_id, legal_entity_id, settlement_term, fee_strategy, signature, expires_at, created_at",
);

export const QUOTE = `SELECT q.legal_entity_id, q.settlement_term, q.fee_strategy, q.expires_at, q.consumed_at,
    p.id AS price_id, p.amount_minor, p.currency, p.method, p.installments, p.fee_handling, p.payer_total_minor,
    p.payer_currency, p.receiver_net_minor, p.receiver_currency
  FROM quote q JOIN price p ON p.tenant_id = q.tenant_id AND p.id = q.price_id WHERE q.tenant_id = $1 AND q.id = $2`;

export const CONSUME_QUOTE = `UPDATE quote SET consumed_at = $3
  WHERE tenant_id = $1 AND id = $2 AND consumed_at IS NULL`;

export const INSERT_INTENT = insertInto(
  "payment_intent",
  "tenant_id, id, quote_id, legal_entity_id, amount_minor, currency, settlement_term, fee_strategy, reference, metadata, created_at",
);

export const INSERT_ACCEPTED_LINK = insertInto(
  "payment_link",
  `tenant_id, id, status, is_campaign, amount_minor, currency, payout_currency, legal_entity_id, reference,
   payment_methods, max_installments, fee_handling, description, product_images, collect_fields, metadata, quote_id,
   price_id, payment_intent_id, expires_at, created_at`,
);

/** The link of a page, whose owner nobody names, with the price of its quote. */
export const PAGE_LINK = `SELECT l.tenant_id, l.id, l.status, l.amount_minor, l.currency, l.payout_currency, l.description,
    l.reference, l.metadata, l.is_campaign, l.fee_handling, l.expires_at, l.price_id, p.payer_total_minor
  FROM route r JOIN payment_link l ON l.tenant_id = r.tenant_id AND l.id = r.id
    LEFT JOIN price p ON p.tenant_id = l.tenant_id AND p.id = l.price_id
  WHERE r.id = $1 AND r.mode = 'test'`;

export const OPENING = `SELECT
    (SELECT id FROM price_list WHERE tenant_id = $1 AND link_id = $2 AND fingerprint = $3) AS price_list_id,
    EXISTS (SELECT FROM checkout_session WHERE tenant_id = $1 AND link_id = $2 AND created_at > $4
      ORDER BY created_at DESC OFFSET 999 LIMIT 1) AS is_full`;

export const INSERT_PRICE_LIST = insertInto("price_list", "tenant_id, id, link_id, fingerprint, created_at");
export const INSERT_OPTION = insertInto("checkout_option", "tenant_id, price_list_id, number, price_id");
export const INSERT_SESSION = insertInto(
  "checkout_session",
  "tenant_id, id, link_id, price_list_id, payment_count, expires_at, created_at",
);

/** A session with its link, the price of its option, and its payment in progress. */
export const SESSION = `SELECT l.tenant_id, l.status, l.expires_at AS link_expires_at, l.reference, l.metadata,
    l.is_campaign, s.payment_count, s.expires_at, p.id AS price_id, p.fee_handling, p.method,
    p.installments, p.payer_total_minor, p.payer_currency, p.total_fee_minor, p.pricing_currency, p.receiver_net_minor,
    p.receiver_currency,
    (SELECT m.id FROM charge c JOIN payment m ON m.tenant_id = c.tenant_id AND m.id = c.payment_id
      WHERE c.tenant_id = s.tenant_id AND c.session_id = s.id AND m.status IN ('pending', 'processing', 'succeeded')
      LIMIT 1) AS payment_id
  FROM route r JOIN payment_link l ON l.tenant_id = r.tenant_id AND l.id = r.id
    JOIN checkout_session s ON s.tenant_id = l.tenant_id AND s.id = $2 AND s.link_id = l.id
    JOIN checkout_option o ON o.tenant_id = s.tenant_id AND o.price_list_id = s.price_list_id
    CROSS JOIN LATERAL (SELECT * FROM price WHERE tenant_id = o.tenant_id AND id = o.price_id OFFSET 0) p
  WHERE r.id = $1 AND r.mode = 'test' AND p.method = 'pix'`;

export const COUNT_PAYMENT = `UPDATE checkout_session SET payment_count = payment_count + 1
  WHERE tenant_id = $1 AND id = $2 AND payment_count = $3`;

export const HOLD_LINK = `SELECT FROM payment_link
  WHERE tenant_id = $1 AND id = $2 AND status = 'active' AND expires_at IS NOT DISTINCT FROM $3 FOR UPDATE`;

export const INSERT_PAYMENT = insertInto(
  "payment",
  "tenant_id, id, link_id, price_id, method, status, is_single, reference, metadata, created_at, updated_at",
);

export const INSERT_CHARGE = insertInto(
  "charge",
  `tenant_id, payment_id, session_id, number, reference, preparation_count, created_at, expires_at, check_at,
   receipt_count, is_open`,
);

export const INSERT_SANDBOX_CHARGE = `INSERT INTO sandbox_charge (tenant_id, reference, amount_minor, status, created_at)
  VALUES ($1, $2, $3, 'waiting', $4) ON CONFLICT DO NOTHING`;

export const PREPARE_CHARGE = `UPDATE charge SET pix_code = $3, preparation_count = NULL, check_at = $4
  WHERE tenant_id = $1 AND payment_id = $2 AND pix_code IS NULL`;

/** A link with its payment in progress, the price of that payment or of its quote, and its term. */
export const SUCCESS = `SELECT l.status, l.is_campaign, l.amount_minor AS link_amount_minor, l.currency AS link_currency, l.fee_handling AS link_fee_handling,
    l.expires_at, l.reference, l.metadata, i.settlement_term, m.id AS payment_id, m.created_at, p.id AS price_id,
    p.method, p.installments, p.fee_handling, p.pricing_currency, p.gross_minor, p.net_minor, p.service_fee_minor,
    p.installment_surcharge_minor, p.iof_amount_minor, p.total_fee_minor, p.payer_total_minor, p.payer_currency,
    p.receiver_net_minor, p.receiver_currency, to_jsonb(l) AS link
  FROM payment_link l
    LEFT JOIN payment_intent i ON i.tenant_id = l.tenant_id AND i.id = l.payment_intent_id
    LEFT JOIN LATERAL (SELECT id, price_id, created_at FROM payment WHERE tenant_id = $1 AND link_id = $2
      AND status IN ('pending', 'processing') AND method = 'pix' LIMIT 1) m ON true
    LEFT JOIN price p ON p.tenant_id = l.tenant_id AND p.id = coalesce(m.price_id, l.price_id)
  WHERE l.tenant_id = $1 AND l.id = $2`;

export const SUCCEED = `UPDATE payment SET status = 'succeeded', updated_at = $3
  WHERE tenant_id = $1 AND id = $2 AND status = 'pending'`;

export const COMPLETE_LINK = `UPDATE payment_link SET status = 'completed', updated_at = $3
  WHERE tenant_id = $1 AND id = $2 AND status = 'active'`;

export const INSERT_ENTRY = insertInto("ledger_entry", "tenant_id, payment_id, kind, source_id, booked_at");

export const INSERT_LINES = `INSERT INTO ledger_line
  (tenant_id, payment_id, kind, source_id, number, account, currency, debit_minor, credit_minor)
  SELECT $1, $2, 'payment', '', line.* FROM unnest($3::int[], $4::text[], $5::text[], $6::bigint[], $7::bigint[]) line`;

export const INSERT_SETTLEMENT = insertInto("settlement", "tenant_id, payment_id, succeeded_on, term_days");

/** Takes due deliveries: another process takes them if this one has not ended them in a minute. */
export const TAKE_DELIVERIES = `WITH due AS (
    SELECT tenant_id, id FROM webhook_delivery WHERE status = 'pending' AND next_attempt_at <= $1
    ORDER BY next_attempt_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  UPDATE webhook_delivery d SET next_attempt_at = $1::timestamptz + interval '60 seconds'
  FROM due JOIN webhook_delivery t USING (tenant_id, id)
    JOIN event e ON e.tenant_id = t.tenant_id AND e.id = t.event_id
    JOIN webhook_endpoint w ON w.tenant_id = t.tenant_id AND w.id = t.endpoint_id
  WHERE d.tenant_id = due.tenant_id AND d.id = due.id
  RETURNING d.tenant_id, d.id, d.event_id, d.attempt_count, e.body, w.url, w.sealed_secret`;

export const INSERT_ATTEMPT = insertInto(
  "webhook_attempt",
  "tenant_id, delivery_id, number, started_at, latency_ms, status_code, error, response_body, request_url, request_headers",
);

export const END_DELIVERY = `UPDATE webhook_delivery SET status = $3, round_attempt_count = round_attempt_count + 1,
    attempt_count = attempt_count + 1, next_attempt_at = $4, last_status_code = $5, last_error = $6
  WHERE tenant_id = $1 AND id = $2 AND attempt_count = $7`;

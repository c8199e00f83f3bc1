import type pg from "pg";

/** Something that must never be, and the query that finds it in one environment's schema. */
export interface Invariant {
  readonly name: string;
  /** Rows that break it, each with a `detail`. `$schema` is the environment's schema. */
  readonly sql: string;
}

const STORED_IDS = `SELECT i.tenant_id, i.key, (m)[1] AS id
  FROM $schema.idempotency i, regexp_matches(encode(i.response, 'escape'), '((?:pl|qt|pi)_[0-9a-z]{26})', 'g') AS m
  WHERE i.response IS NOT NULL`;
const RESOURCES = `SELECT tenant_id, id FROM $schema.payment_link
  UNION ALL SELECT tenant_id, id FROM $schema.quote
  UNION ALL SELECT tenant_id, id FROM $schema.payment_intent`;
// Rows of the first release have no such events.
const FIRST_CREATED = "(SELECT min(created_at) FROM $schema.event WHERE type = 'link.created')";
const EVENT_PAYMENT = "convert_from(e.body, 'UTF8')::jsonb #> '{data,payment}'";

/**
 * The promises of the service as SQL on what is stored. It shares nothing with the code that writes, so that an error
 * there cannot hide itself. Every query finds no row in a database that nothing was lost or doubled in.
 */
export const INVARIANTS: readonly Invariant[] = [
  {
    name: "stored answer without its resource",
    sql: `SELECT concat(s.key, ' names ', s.id) AS detail FROM (${STORED_IDS}) s
      WHERE NOT EXISTS (SELECT FROM (${RESOURCES}) r WHERE (r.tenant_id, r.id) = (s.tenant_id, s.id))`,
  },
  {
    // Links, quotes and intents are made by keyed requests alone, while the keys are kept.
    name: "resource without a stored answer",
    sql: `SELECT r.id AS detail FROM (${RESOURCES}) r
      WHERE NOT EXISTS (SELECT FROM (${STORED_IDS}) s WHERE (s.tenant_id, s.id) = (r.tenant_id, r.id))`,
  },
  {
    name: "two links of one quote",
    sql: `SELECT concat(quote_id, ' has ', count(*)) AS detail FROM $schema.payment_link
      WHERE quote_id IS NOT NULL GROUP BY tenant_id, quote_id HAVING count(*) > 1`,
  },
  {
    name: "quote consumed without a link, or linked without being consumed",
    sql: `SELECT q.id AS detail FROM $schema.quote q
      WHERE (q.consumed_at IS NOT NULL) <> EXISTS (SELECT FROM $schema.payment_link l
        WHERE (l.tenant_id, l.quote_id) = (q.tenant_id, q.id))`,
  },
  {
    name: "two succeeded payments on a single link",
    sql: `SELECT concat(p.link_id, ' has ', count(*)) AS detail FROM $schema.payment p
      JOIN $schema.payment_link l ON (l.tenant_id, l.id) = (p.tenant_id, p.link_id)
      WHERE NOT l.is_campaign AND p.status = 'succeeded' GROUP BY p.tenant_id, p.link_id HAVING count(*) > 1`,
  },
  {
    name: "link status other than its payments",
    sql: `SELECT concat(l.id, ' is ', l.status) AS detail FROM $schema.payment_link l
      WHERE NOT l.is_campaign AND (l.status = 'completed') <> EXISTS (
        SELECT FROM $schema.payment p
        WHERE (p.tenant_id, p.link_id) = (l.tenant_id, l.id) AND p.status = 'succeeded')`,
  },
  {
    name: "money taken twice",
    sql: `SELECT concat(provider_payment_id, ' ', count(*)) AS detail FROM $schema.charge
      WHERE provider_payment_id IS NOT NULL GROUP BY tenant_id, provider_payment_id HAVING count(*) > 1`,
  },
  {
    name: "amounts of an event other than the price row's",
    sql: `SELECT e.id AS detail FROM $schema.event e
      JOIN $schema.payment p ON (p.tenant_id, p.id) = (e.tenant_id, e.object_id)
      JOIN $schema.price r ON (r.tenant_id, r.id) = (p.tenant_id, p.price_id)
      WHERE ((${EVENT_PAYMENT}->>'gross_amount')::int8, (${EVENT_PAYMENT}->>'fee_amount')::int8, (${EVENT_PAYMENT}->>'net_amount')::int8)
        IS DISTINCT FROM (r.payer_total_minor, r.total_fee_minor, r.receiver_net_minor)
        AND e.type LIKE 'payment.%'`,
  },
  {
    name: "amounts of the books other than the price row's",
    sql: `SELECT p.id AS detail FROM $schema.payment p
      JOIN $schema.price r ON (r.tenant_id, r.id) = (p.tenant_id, p.price_id)
      LEFT JOIN LATERAL (SELECT sum(debit_minor) FILTER (WHERE account = 'provider_clearing') AS gross,
          sum(credit_minor) FILTER (WHERE account = 'merchant_payable') AS net
        FROM $schema.ledger_line l
        WHERE (l.tenant_id, l.payment_id, l.kind) = (p.tenant_id, p.id, 'payment')) b ON true
      WHERE p.status = 'succeeded' AND (b.gross, b.net) IS DISTINCT FROM (r.payer_total_minor, r.receiver_net_minor)`,
  },
  {
    name: "state change without its event",
    sql: `SELECT concat(p.id, ' is ', p.status) AS detail FROM $schema.payment p
      WHERE p.status IN ('succeeded', 'failed', 'expired') AND (SELECT count(*) FROM $schema.event e
        WHERE (e.tenant_id, e.object_id) = (p.tenant_id, p.id)
          AND e.type = CASE p.status WHEN 'succeeded' THEN 'payment.succeeded' ELSE 'payment.failed' END) <> 1
      UNION ALL
      SELECT concat(p.id, ' was started') FROM $schema.payment p JOIN $schema.charge c
        ON (c.tenant_id, c.payment_id) = (p.tenant_id, p.id)
      WHERE p.method <> 'card' AND p.created_at > ${FIRST_CREATED} AND (SELECT count(*) FROM $schema.event e
        WHERE (e.tenant_id, e.object_id, e.type) = (p.tenant_id, p.id, 'payment.pending')) <> 1
      UNION ALL
      SELECT concat(l.id, ' is ', l.status, ': ', wanted.type) FROM $schema.payment_link l
      CROSS JOIN LATERAL (VALUES ('link.created', l.created_at), ('link.' || l.status, l.updated_at)) AS wanted (type, at)
      WHERE (wanted.type = 'link.expired'
          OR (wanted.type IN ('link.created', 'link.completed') AND wanted.at > ${FIRST_CREATED}))
        AND (SELECT count(*) FROM $schema.event e
          WHERE (e.tenant_id, e.object_id, e.type) = (l.tenant_id, l.id, wanted.type)) <> 1`,
  },
  {
    name: "event without its state change",
    sql: `SELECT concat(e.id, ' ', e.type) AS detail FROM $schema.event e
      WHERE e.type IN ('payment.succeeded', 'payment.failed') AND NOT EXISTS (SELECT FROM $schema.payment p
        LEFT JOIN $schema.charge c ON (c.tenant_id, c.payment_id) = (p.tenant_id, p.id)
        WHERE (p.tenant_id, p.id) = (e.tenant_id, e.object_id)
          AND p.status = ANY (CASE WHEN e.type = 'payment.succeeded' THEN '{succeeded}'
            -- An expired payment succeeds by money that was paid in time.
            WHEN c.paid_at <= c.expires_at + interval '60 seconds' THEN '{succeeded,failed,expired}'
            ELSE '{failed,expired}' END::text[]))
      UNION ALL
      SELECT concat(e.id, ' ', e.type) FROM $schema.event e
      WHERE e.type IN ('link.created', 'link.completed', 'link.expired') AND NOT EXISTS (SELECT FROM $schema.payment_link l
        WHERE (l.tenant_id, l.id) = (e.tenant_id, e.object_id)
          AND (e.type = 'link.created' OR e.type = 'link.' || l.status
            -- An expired link is completed by money that was paid in time.
            OR (e.type = 'link.expired' AND l.status = 'completed')))`,
  },
  {
    name: "entry that does not balance",
    sql: `SELECT concat(payment_id, ' ', kind) AS detail FROM $schema.ledger_line
      GROUP BY tenant_id, payment_id, kind, source_id, currency HAVING sum(debit_minor) <> sum(credit_minor)`,
  },
  {
    name: "kept sum other than its lines",
    sql: `SELECT concat(tenant_id, ' ', account, ' ', currency) AS detail
      FROM (SELECT tenant_id, account, currency, debit_minor - credit_minor AS minor FROM $schema.ledger_sum
        UNION ALL SELECT tenant_id, account, currency, debit_minor - credit_minor FROM $schema.ledger_unsummed
        UNION ALL SELECT tenant_id, account, currency, credit_minor - debit_minor FROM $schema.ledger_line) AS parts
      WHERE tenant_id IN (SELECT tenant_id FROM $schema.ledger_sum)
      GROUP BY tenant_id, account, currency HAVING sum(minor) <> 0`,
  },
  {
    name: "payment without its entry, or entry without its payment",
    sql: `SELECT p.id AS detail FROM $schema.payment p
      WHERE (p.status = 'succeeded') <> EXISTS (SELECT FROM $schema.ledger_entry e
        WHERE (e.tenant_id, e.payment_id, e.kind) = (p.tenant_id, p.id, 'payment'))`,
  },
  {
    name: "more given back than was paid",
    sql: `SELECT concat(p.id, ' gave back ', p.refunded_minor) AS detail FROM $schema.payment p
      JOIN $schema.price r ON (r.tenant_id, r.id) = (p.tenant_id, p.price_id)
      JOIN LATERAL (SELECT coalesce(sum(amount_minor) FILTER (WHERE status = 'succeeded'), 0) AS gone
        FROM $schema.refund f
        WHERE (f.tenant_id, f.payment_id) = (p.tenant_id, p.id) AND exception_id IS NULL) s ON true
      WHERE s.gone > r.payer_total_minor OR s.gone <> p.refunded_minor`,
  },
  {
    name: "refund without its entry or event, or twice",
    sql: `SELECT concat(f.id, ' is ', f.status) AS detail FROM $schema.refund f WHERE exception_id IS NULL AND (
      (SELECT count(*) FROM $schema.ledger_entry e
        WHERE (e.tenant_id, e.payment_id, e.source_id) = (f.tenant_id, f.payment_id, f.id))
        <> (f.status = 'succeeded')::int
      OR (SELECT count(*) FROM $schema.event e
        WHERE e.tenant_id = f.tenant_id AND e.type IN ('refund.succeeded', 'refund.failed', 'payment.returned')
          AND position(f.id IN convert_from(e.body, 'UTF8')) > 0)
        <> (f.status = 'succeeded' OR f.status = 'failed' AND f.origin = 'merchant')::int)`,
  },
  {
    name: "event without its deliveries",
    sql: `SELECT concat(e.id, ' to ', w.id) AS detail FROM $schema.event e
      JOIN $schema.webhook_endpoint w ON w.tenant_id = e.tenant_id AND w.status = 'enabled' AND w.deleted_at IS NULL
      WHERE NOT e.is_internal AND e.created_at > w.created_at
        AND (w.event_types = '{}' OR w.event_types && ARRAY[e.type, split_part(e.type, '.', 1) || '.*'])
        AND NOT EXISTS (SELECT FROM $schema.webhook_delivery d
          WHERE (d.tenant_id, d.event_id, d.endpoint_id) = (e.tenant_id, e.id, w.id))`,
  },
  {
    name: "key in flight for ever",
    sql: `SELECT concat(pid, ' ', state) AS detail FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
        AND xact_start < clock_timestamp() - $age::interval`,
  },
];

/** A database to ask. */
interface Queryable {
  query(sql: string): Promise<{ readonly rows: unknown[] }>;
}

/** What was found of one invariant. */
export interface Broken {
  readonly name: string;
  readonly count: number;
  /** The first of them. */
  readonly details: readonly string[];
}

const SCHEMAS = ["test", "live"];
const FOR_EVER = "30 seconds";

/** The invariants that are broken in the two environments. A transaction older than `age` is one that never ends. */
export async function findBroken(client: Queryable, age = FOR_EVER): Promise<Broken[]> {
  const found: Broken[] = [];
  for (const { name, sql } of INVARIANTS) {
    const texts = SCHEMAS.map((schema) => sql.replaceAll("$schema", schema).replaceAll("$age", `'${age}'`));
    const { rows } = await client.query(
      `SELECT count(*)::int AS count, (array_agg(detail))[1:5] AS details
        FROM (${texts.map((text) => `(${text})`).join(" UNION ALL ")}) AS broken`,
    );
    const { count, details } = rows[0] as { count: number; details: string[] | null };
    if (count > 0) found.push({ name, count, details: details ?? [] });
  }
  return found;
}

/** The acknowledged keys that the database does not know. */
export async function findMissingKeys(
  client: Pick<pg.Client, "query">,
  acknowledged: readonly string[],
): Promise<string[]> {
  const { rows } = await client.query<{ key: string }>(
    `SELECT acknowledged.key FROM unnest($1::text[]) AS acknowledged (key)
      WHERE NOT EXISTS (SELECT FROM test.idempotency i WHERE i.key = acknowledged.key)`,
    [acknowledged],
  );
  return rows.map(({ key }) => key);
}

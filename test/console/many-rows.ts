import type { DatabaseRows } from "../support/database-rows.ts";
import type { Merchant } from "../support/merchant.ts";

export const COUNT = 45;
export const NUMBERS = Array.from({ length: COUNT }, (_, index) => index + 1);
/** Neither the order of times nor that of ids. */
const amountOf = (number: number): number => 1000 + ((number * 7) % COUNT);
const AMOUNT = `1000 + (n * 7) % ${COUNT}`;
const TIME = "timestamptz '2026-03-02T15:00:00Z' + n * interval '1 minute'";
const ID = "lpad(n::text, 26, '0')";
const MANY = `generate_series(1, ${COUNT}) AS n`;

/** A list with so many rows that it has three pages. */
interface List {
  readonly path: string;
  /** Finds the number of a row. */
  readonly row: RegExp;
  /** The words of its orders, ascending, with what they compare. The first is of the usual order. */
  readonly orders: Readonly<Record<string, (number: number) => number>>;
  /** A column that can be left out, and another one, by key and title. */
  readonly columns: readonly [key: string, title: string, other: string];
  readonly isOldestFirst?: boolean;
  readonly fill: () => Promise<void>;
}

const time = (number: number): number => number;
const copy = (table: string, changes: string): string =>
  `INSERT INTO ${table} SELECT (jsonb_populate_record(o, jsonb_build_object(${changes}))).*
    FROM ${table} o, ${MANY} WHERE o.ctid = (SELECT ctid FROM ${table} WHERE tenant_id = $1 LIMIT 1)`;

/** Returns the lists of the console, and how each is filled past the service's rules. */
export function listsOf(rows: DatabaseRows, merchant: Merchant): readonly List[] {
  const tenantId = merchant.tenant.id;
  return [
    {
      path: "/console/test/quotes",
      row: /quotes\/qt_0*(\d+)"/,
      orders: { created: time, amount: amountOf },
      columns: ["status", "Situação", "Criada em"],
      fill: async () => {
        await merchant.api.post("/v1/quotes", { amount: 15_990, currency: "BRL", payment_method: "pix" });
        await rows.run(copy("test.price", `'id', 'pr_' || n, 'amount_minor', ${AMOUNT}`), [tenantId]);
        const changes = `'id', 'qt_' || ${ID}, 'price_id', 'pr_' || n, 'created_at', ${TIME}`;
        await rows.run(copy("test.quote", changes), [tenantId]);
        await rows.run("DELETE FROM test.quote WHERE tenant_id = $1 AND id !~ '^qt_0{20}'", [tenantId]);
      },
    },
    {
      path: "/console/test/audit?action=UpdateTenant",
      row: /obj_(\d+)/,
      orders: { created: time },
      columns: ["object", "Em quê", "De onde"],
      fill: async () => {
        await rows.run(
          `INSERT INTO identity.audit_entry SELECT $1, 'aud_' || ${ID}, ${TIME}, 'core', '', '', 'UpdateTenant', NULL,
          'obj_' || n, '{}', '', 'req_x' FROM ${MANY}`,
          [tenantId],
        );
      },
    },
    {
      path: "/console/test/webhooks/deliveries",
      row: /deliveries\/dlv_0*(\d+)"/,
      orders: { begun: time },
      columns: ["status", "Situação", "Começou em"],
      fill: async () => {
        await merchant.webhooks.createWebhookEndpoint({ url: "https://hooks.example/many" }, merchant.as);
        await rows.run(
          `INSERT INTO test.event (tenant_id, id, type, is_internal, object_id, body, created_at)
          SELECT $1, 'evt_' || ${ID}, 'webhook.test', false, 'x', '{}', ${TIME} FROM ${MANY}`,
          [tenantId],
        );
        await rows.run(
          `INSERT INTO test.webhook_delivery SELECT $1, 'dlv_' || ${ID}, 'evt_' || ${ID}, 'we_x', 'succeeded', 1, 1, 1,
          NULL, 200, NULL, ${TIME} FROM ${MANY}`,
          [tenantId],
        );
      },
    },
    {
      path: "/console/test/payments/exceptions",
      row: /exc_0*(\d+)/,
      orders: { received: time, amount: amountOf },
      columns: ["failure", "Motivo", "Situação"],
      fill: async () => {
        await rows.run(
          `INSERT INTO test.payment_exception (tenant_id, id, payment_id, provider_payment_id, reason, amount_minor,
            expected_minor, proposed_refund_minor, refund_reserved_minor, received_at, created_at)
          SELECT $1, 'exc_' || ${ID}, 'pay_x', 'E' || n, 'late', ${AMOUNT}, 1, 1, 0, ${TIME}, ${TIME} FROM ${MANY}`,
          [tenantId],
        );
      },
    },
    {
      path: "/console/test/payments/refunds",
      row: /ref_0*(\d+)"/,
      orders: { created: time, amount: amountOf },
      columns: ["status", "Situação", "Por"],
      fill: async () => {
        await rows.run(
          `INSERT INTO test.refund (tenant_id, id, payment_id, origin, amount_minor, status, fee_rule, created_at, check_at,
            change_count)
          SELECT $1, 'ref_' || ${ID}, 'pay_x', 'merchant', ${AMOUNT}, 'processing', 'merchant', ${TIME}, ${TIME}, 0 FROM ${MANY}`,
          [tenantId],
        );
      },
    },
    {
      path: "/console/test/payments/disputes",
      row: /dsp_0*(\d+)/,
      orders: { opened: time, amount: amountOf },
      columns: ["status", "Situação", "Parcela"],
      fill: async () => {
        // The day of every third one is not known: it counts by the time at which it was recorded.
        await rows.run(
          `INSERT INTO test.dispute SELECT $1, 'dsp_' || ${ID}, 'pay_x', 'pa_x', 'c' || n, 1, ${AMOUNT}, 'needs_response',
          NULL, CASE WHEN n % 3 > 0 THEN date '2026-03-02' + n END, NULL,
          timestamptz '2026-03-02T15:00:00Z' + n * interval '1 day' FROM ${MANY}`,
          [tenantId],
        );
      },
    },
    {
      path: "/console/live/providers/unknown",
      row: /title="E0*(\d+)"/,
      orders: { received: time, amount: amountOf },
      columns: ["txid", "txid", "Recebido"],
      fill: async () => {
        await rows.run(
          `INSERT INTO live.unknown_money (tenant_id, account_id, end_to_end_id, amount_minor, received_at, created_at)
          SELECT $1, 'pa_x', 'E' || lpad(n::text, 31, '0'), ${AMOUNT}, ${TIME}, now() FROM ${MANY}`,
          [tenantId],
        );
      },
    },
    {
      path: "/console/live/providers/unknown/settled",
      row: /title="E0*(\d+)"/,
      orders: { received: time, amount: amountOf },
      columns: ["txid", "txid", "Recebido"],
      fill: async () => {
        await rows.run(
          `INSERT INTO live.unknown_money (tenant_id, account_id, end_to_end_id, amount_minor, received_at, created_at,
            settled_at, settled_by, settlement_note)
          SELECT $1, 'pa_y', 'E' || lpad(n::text, 31, '0'), ${AMOUNT}, ${TIME}, now(), now(), 'x', 'x' FROM ${MANY}`,
          [tenantId],
        );
      },
    },
    {
      path: "/console/live/keys",
      row: /Chave (\d+)</,
      orders: { created: time, used: amountOf },
      columns: ["scopes", "O que ela pode fazer", "Criada em"],
      fill: async () => {
        const changes = `'id', 'key_' || ${ID}, 'name', 'Chave ' || n, 'key_hash', 'h' || n, 'mode', 'live',
        'created_at', ${TIME}, 'last_used_at', timestamptz '2026-03-02T15:00:00Z' + (${AMOUNT}) * interval '1 s'`;
        await rows.run(copy("identity.api_key", changes), [tenantId]);
        const first = "tenant_id = $1 AND mode = 'live' AND name NOT LIKE 'Chave %'";
        await rows.run(`DELETE FROM identity.api_key WHERE ${first}`, [tenantId]);
      },
    },
    {
      path: "/console/test/people",
      row: /Pessoa (\d+)</,
      orders: { since: time, signed_in: amountOf },
      columns: ["role", "Papel", "Desde"],
      isOldestFirst: true,
      fill: async () => {
        // The last one is the owner.
        const signedIn = `timestamptz '2026-03-02T15:00:00Z' + (${AMOUNT}) * interval '1 s'`;
        await rows.run(
          `UPDATE identity.membership SET created_at = ${TIME}, last_signed_in_at = ${signedIn}
          FROM (SELECT ${COUNT} AS n) AS last WHERE tenant_id = $1`,
          [tenantId],
        );
        await rows.run(
          `INSERT INTO identity."user" (id, email, name, password_hash, totp_sealed, totp_step, created_at)
          SELECT 'usr_' || ${ID}, n || '@x.example', 'Pessoa ' || n, '', '', 0, now() FROM ${MANY} WHERE n < ${COUNT}`,
        );
        await rows.run(
          `INSERT INTO identity.membership SELECT $1, 'usr_' || ${ID}, 'viewer', ${TIME}, ${signedIn}
          FROM ${MANY} WHERE n < ${COUNT}`,
          [tenantId],
        );
      },
    },
  ];
}

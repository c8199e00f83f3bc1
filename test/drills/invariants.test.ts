import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBroken, findMissingKeys, INVARIANTS } from "../../tools/drills/chaos/invariants.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
let merchant: Merchant;
let client: pg.Client;

beforeAll(async () => {
  service = await startService();
  merchant = await createMerchant(service);
  client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  await merchant.webhooks.createWebhookEndpoint({ url: "http://127.0.0.1:3999/hook" }, merchant.as);
  service.clock.advance(2);
  await merchant.pay();
  await merchant.pay({}, { outcome: "failed" });
  await merchant.newLink();
  const quote = { amount: 15_990, currency: "BRL", payment_method: "pix" };
  const { body } = await merchant.api.post("/v1/quotes", quote);
  await merchant.api.post(`/v1/quotes/${body.id}/accept`, { name: "Running shoes" });
  for (let count = 0; count < 2; count++) await new Payer(service, await merchant.newLink()).payByPix();
  await service.core.tasks.sumLines();
  const { body: paid } = await merchant.pay();
  await merchant.api.post(`/v1/payments/${paid.id}/refunds`, { amount: 100 });
  await merchant.newLink({ expires_in: 1 });
  service.clock.advance(2);
  await service.core.tasks.expireLinks();
});
afterAll(async () => {
  await client.end();
  await service.close();
});

/** What breaks each invariant, past all that the tables themselves refuse. */
const PLANTS: Readonly<Record<string, string>> = {
  "stored answer without its resource": "DELETE FROM test.payment_link WHERE quote_id IS NOT NULL",
  "resource without a stored answer": "DELETE FROM test.idempotency",
  "two links of one quote": `INSERT INTO test.payment_link SELECT (jsonb_populate_record(l, '{"id": "pl_second"}')).*
    FROM test.payment_link l WHERE quote_id IS NOT NULL`,
  "quote consumed without a link, or linked without being consumed":
    "UPDATE test.quote SET consumed_at = NULL WHERE consumed_at IS NOT NULL",
  "two succeeded payments on a single link": `INSERT INTO test.payment
    SELECT (jsonb_populate_record(p, '{"id": "pay_second", "is_single": false}')).* FROM test.payment p
    WHERE status = 'succeeded' LIMIT 1`,
  "link status other than its payments":
    "UPDATE test.payment_link SET status = 'active' WHERE status = 'completed'",
  "money taken twice": "UPDATE test.charge SET provider_payment_id = 'same'",
  "amounts of an event other than the price row's":
    "UPDATE test.price SET total_fee_minor = total_fee_minor + 1",
  "amounts of the books other than the price row's":
    "UPDATE test.price SET receiver_net_minor = receiver_net_minor + 1",
  "state change without its event": "DELETE FROM test.event WHERE type = 'link.expired'",
  "event without its state change":
    "UPDATE test.payment SET status = 'processing' WHERE status = 'succeeded'",
  "entry that does not balance":
    "UPDATE test.ledger_line SET debit_minor = debit_minor + 1 WHERE debit_minor > 0",
  "kept sum other than its lines": "DELETE FROM test.ledger_unsummed WHERE account = 'provider_clearing'",
  "payment without its entry, or entry without its payment": "DELETE FROM test.ledger_entry",
  "more given back than was paid": "UPDATE test.refund SET amount_minor = amount_minor + 1",
  "refund without its entry or event, or twice": "DELETE FROM test.event WHERE type = 'refund.succeeded'",
  "event without its deliveries": "DELETE FROM test.webhook_delivery",
  "key in flight for ever": "SELECT 1",
};

test("nothing is broken where nothing went wrong", async () => {
  expect(await findBroken(client)).toEqual([]);
});

describe("each invariant is seen to be broken by a planted fault", () => {
  test.each(INVARIANTS.map(({ name }) => name))("%s", async (name) => {
    const other = new pg.Client({ connectionString: service.databaseUrl });
    await other.connect();
    await other.query("BEGIN");
    await client.query("BEGIN");
    await client.query("SET LOCAL session_replication_role = replica");
    await client.query(PLANTS[name] ?? "no plant");
    const found = (await findBroken(client, name === "key in flight for ever" ? "0 seconds" : undefined)).map(
      (broken) => broken.name,
    );
    await client.query("ROLLBACK");
    await other.end();
    expect(found).toContain(name);
  });
});

test("an acknowledged key that is gone is missed", async () => {
  const link = { amount: 15_990, currency: "BRL" };
  for (const idempotencyKey of ["kept", "gone"]) {
    expect((await merchant.api.post("/v1/payment_links", link, { idempotencyKey })).status).toBe(201);
  }
  await client.query("DELETE FROM test.idempotency WHERE key = 'gone'");
  expect(await findMissingKeys(client, ["kept", "gone"])).toEqual(["gone"]);
});

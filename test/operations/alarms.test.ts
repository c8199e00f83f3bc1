import { afterAll, beforeAll, expect, test } from "vitest";
import { brCode } from "../../tools/bank/br-code.ts";
import { Metrics } from "../../cli/observe/metrics.ts";
import { SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { Canaries } from "../support/canaries.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { CORE_TOKEN, DATA_KEY } from "../support/core-options.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startPart } from "../support/part.ts";
import { freePorts, startProcess } from "../support/process.ts";
import { OF_PAYMENTS, startReceiver } from "../support/receiver.ts";
import { startService, type TestService } from "../support/service.ts";
import { isInFull } from "../support/scale.ts";

const AUDIT_SECONDS = 4000;

let service: TestService;
let merchant: Merchant;
let rows: DatabaseRows;
let paymentId: string;

beforeAll(async () => {
  service = await startService();
  rows = await new DatabaseRows(service.databaseUrl).open();
  merchant = await createMerchant(service);
  const campaign = { campaign: true, fee_handling: "pass_through" };
  const payer = new Payer(service, await merchant.newLink(campaign));
  const { options } = await payer.open();
  const total = options.find(({ paymentMethod }) => paymentMethod === PaymentMethod.PIX)?.payerTotal ?? 0n;
  ({ paymentId } = await payer.start({ acknowledgedTotal: total }));
  await payer.simulate(SandboxAction.APPROVE);
  // Others of every kind: paid by card, refused, under way, simulated.
  for (const token of ["tok_approved", "tok_card_declined"]) {
    const other = new Payer(service, await merchant.newLink());
    await other.open();
    await other.card(token, 2);
  }
  const waiting = new Payer(service, await merchant.newLink());
  await waiting.open();
  await waiting.start();
  await merchant.pay();
});
afterAll(async () => {
  await rows.close();
  await service.close();
});

/** Lets the time of the next round come, and does it. */
async function audited() {
  service.clock.advance(AUDIT_SECONDS);
  await service.core.tasks.check();
  const standings = await service.core.checks.standings();
  return standings.find(({ mode }) => mode === "test");
}

/** Writes past the triggers that keep rows as they are, as a superuser or a fault of the disk would. */
async function tamper(sql: string): Promise<void> {
  await rows.run(`SET session_replication_role = replica`);
  await rows.run(sql);
  await rows.run(`RESET session_replication_role`);
}

test("after real journeys nothing is wrong", async () => {
  expect(await audited()).toMatchObject({ bookProblemCount: 0, priceDifferenceCount: 0 });
  expect(service.faults).toEqual([]);
});

test("a round that is not due is not done again, by any caller", async () => {
  const before = await service.core.checks.standings();
  await service.core.tasks.check();
  expect(await service.core.checks.standings()).toEqual(before);
});

const OF = "WHERE payment_id = $id";
const BY_REFERENCE = `WHERE reference = (SELECT reference FROM test.charge ${OF})`;
const PRICE = "WHERE id = (SELECT price_id FROM test.payment WHERE id = $id)";
const CODE = String.raw`'(54\d\d\d+\.\d)\d(5802BR)'`;

test.each([
  [
    "the price",
    ["acknowledged_total", "booked_total", "charged_amount", "code_amount", "told_amounts"],
    `UPDATE test.price SET payer_total_minor = payer_total_minor + $by ${PRICE}`,
  ],
  [
    "the net",
    ["booked_net", "told_amounts"],
    `UPDATE test.price SET receiver_net_minor = receiver_net_minor + $by ${PRICE}`,
  ],
  [
    "what was acknowledged",
    ["acknowledged_total"],
    `UPDATE test.charge SET acknowledged_total_minor = acknowledged_total_minor + $by ${OF}`,
  ],
  [
    "what the provider charges",
    ["charged_amount"],
    `UPDATE test.sandbox_charge SET amount_minor = amount_minor + $by ${BY_REFERENCE}`,
  ],
  [
    "what was booked",
    ["booked_total"],
    `UPDATE test.ledger_line SET debit_minor = debit_minor + $by ${OF} AND account = 'provider_clearing'`,
  ],
  [
    "what was sent",
    ["told_amounts"],
    `UPDATE test.event SET body = convert_to(regexp_replace(convert_from(body, 'UTF8'), '"net_amount":(\\d+)', '"net_amount":' || ((convert_from(body, 'UTF8')::jsonb #>> '{data,payment,net_amount}')::int8 + $by)), 'UTF8') WHERE object_id = $id`,
  ],
])("one centavo in %s raises the alarm, and its repair ends it", async (_what, codes, sql) => {
  const change = async (by: number): Promise<void> =>
    await tamper(sql.replaceAll("$id", `'${paymentId}'`).replaceAll("$by", String(by)));
  await change(1);
  expect((await audited())?.priceDifferenceCount).toBeGreaterThanOrEqual(codes.length);
  const logged = service.faults.splice(0) as { codes?: string[]; payment_ids?: string[]; mode?: string }[];
  const alarm = logged.find((fault) => fault.codes?.some((code) => codes.includes(code)));
  expect(alarm).toMatchObject({ mode: "test", payment_ids: [paymentId] });
  expect(alarm?.codes?.toSorted()).toEqual(codes);
  await change(-1);
  expect(await audited()).toMatchObject({ bookProblemCount: 0, priceDifferenceCount: 0 });
  expect(service.faults).toEqual([]);
});

test("an event that the database cannot read is a difference, and ends no check", async () => {
  const swap = async (from: string, to: string): Promise<void> =>
    await tamper(String.raw`UPDATE test.event SET body = convert_to(replace(convert_from(body, 'UTF8'), '${from}', '${to}'), 'UTF8')
      WHERE object_id = '${paymentId}'`);
  const unreadable = String.raw`"metadata":{"nul":"\u0000","half":"\ud800"},"metadata_was"`;
  await swap('"metadata"', unreadable);
  expect(await audited()).toMatchObject({ bookProblemCount: 0, priceDifferenceCount: 3 });
  expect(service.faults.splice(0)).toMatchObject([{ codes: ["told_amounts"] }]);
  await swap(unreadable, '"metadata"');
  expect(await audited()).toMatchObject({ bookProblemCount: 0, priceDifferenceCount: 0 });
});

test("a code without an amount is no difference, wherever its fields are, and one with another amount is", async () => {
  const [before] = await rows.read(`SELECT pix_code FROM test.charge WHERE payment_id = $1`, [paymentId]);
  const [price] = await rows.read(
    `SELECT payer_total_minor::float8 / 100 AS total FROM test.price
      WHERE id = (SELECT price_id FROM test.payment WHERE id = $1)`,
    [paymentId],
  );
  const differencesWith = async (code: unknown) => {
    await tamper(`UPDATE test.charge SET pix_code = '${String(code)}' WHERE payment_id = '${paymentId}'`);
    return (await audited())?.priceDifferenceCount;
  };
  const total = Number(price?.["total"]);
  const codes = [null, total.toFixed(2), (total + 0.01).toFixed(2), "", "1,50"].map((amount) =>
    brCode("pix.example.com/qr/1", amount),
  );
  const inShop = (code = "") => code.replace("52040000", "52045732");
  const found = [];
  for (const code of [...codes, ...codes.map(inShop), codes[0]?.slice(0, -1)]) {
    found.push(await differencesWith(code));
  }
  expect(found).toEqual([0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1]);
  expect(await differencesWith(before?.["pix_code"])).toBe(0);
  for (const fault of service.faults.splice(0)) expect(fault).toMatchObject({ codes: ["code_amount"] });
});

test("another price than those shown raises the alarm, and so does a code whose amount cannot be read", async () => {
  await tamper(
    `UPDATE test.charge SET pix_code = regexp_replace(pix_code, ${CODE}, '\\1X\\2') ${OF.replace("$id", `'${paymentId}'`)}`,
  );
  await tamper(
    `DELETE FROM test.checkout_option WHERE price_id = (SELECT price_id FROM test.payment WHERE id = '${paymentId}')`,
  );
  expect(await audited()).toMatchObject({ bookProblemCount: 0, priceDifferenceCount: 2 });
  expect(service.faults.splice(0)).toContainEqual(
    expect.objectContaining({ codes: ["code_amount", "unseen_price"] }),
  );
});

test.runIf(isInFull())(
  "entries that do not balance raise the ledger's alarm, and another process shows both",
  async () => {
    await tamper(
      `UPDATE test.ledger_line SET credit_minor = credit_minor + 1 WHERE payment_id = '${paymentId}' AND account = 'merchant_payable' AND kind = 'payment'`,
    );
    const { bookProblemCount = 0, priceDifferenceCount = 0 } = (await audited()) ?? {};
    expect(bookProblemCount).toBeGreaterThan(0);
    expect(service.faults.splice(0).length).toBeGreaterThan(0);
    const metrics = new Metrics("worker", "1");
    const watching = metrics.watch(service.core, { warn: () => undefined });
    await expect
      .poll(() => metrics.registry.metrics())
      .toContain(`paylink_ledger_problems{mode="test"} ${bookProblemCount}`);
    await watching.stop();

    const canaries = new Canaries();
    const receiver = await startReceiver();
    receiver.answer((_received, response) => {
      response.writeHead(500, { "x-canary": canaries.new("answer's header") }).end(canaries.new("answer"));
    });
    const url = `${receiver.url}/${canaries.new("path")}`;
    const { secret } = await merchant.webhooks.createWebhookEndpoint(
      { url, eventTypes: OF_PAYMENTS },
      merchant.as,
    );
    canaries.keep("secret", secret.slice("whsec_".length));
    await merchant.pay();
    const { path: dataDir, remove } = await makeDataFolder();
    const process = await startProcess(dataDir, {
      DATABASE_URL: service.databaseUrl,
      CORE_TOKEN,
      DATA_KEY: DATA_KEY.toString("base64"),
      WEBHOOK_ALLOW_LOOPBACK: "true",
      LOG_LEVEL: "trace",
    });
    const port = process.env["METRICS_PORT"] ?? "";
    const scrape = async (): Promise<string> =>
      await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const headers = { authorization: `Bearer ${merchant.tenant.testKey}` };
    await fetch(`${process.baseUrl}/v1/payments?from=2020-01-01&to=2099-01-01`, { headers });
    await fetch(`${process.baseUrl}/v1/payment_links/${canaries.new("id")}`, { headers });
    for (const sample of [
      `paylink_ledger_problems{mode="test"} ${bookProblemCount}`,
      `paylink_price_parity_violations{mode="test"} ${priceDifferenceCount}`,
      `paylink_ledger_problems{mode="live"} 0`,
      `paylink_http_requests_total{route="/v1/payments",verb="GET",status="200",mode="test"} 1`,
      `paylink_http_request_duration_seconds_count{route="/v1/payments",verb="GET"} 1`,
      `paylink_rpc_calls_total{service="paylink.ledger.v1.LedgerService",method="ListPayments",code="ok",mode="test"} 1`,
      `paylink_webhook_attempts_total{mode="test",outcome="bad_status"} 1`,
      `paylink_jobs{mode="test",state="deferred"} 1`,
      `paylink_database_connections{pool="test",state="idle"}`,
      `paylink_database_waiting_requests{pool="test"} 0`,
      `paylink_database_up 1`,
    ]) {
      await expect.poll(scrape, { timeout: 15_000, interval: 100 }).toContain(sample);
    }
    const text = await scrape();
    expect(text).not.toMatch(/ten_|pay_[0-7]|pl_[0-7]|evt_/);
    const [otherPort] = await freePorts(1);
    const other = startPart("all", {
      ...process.env,
      PORT: String(otherPort),
      CORE_PORT: "0",
      CORE_HTTP_PORT: "0",
    });
    const isReady = async () =>
      (await fetch(`http://127.0.0.1:${otherPort}/readyz`).catch(() => undefined))?.ok;
    await expect.poll(isReady, { timeout: 30_000, interval: 20 }).toBe(true);
    expect(await other.end("SIGTERM")).toBe(0);
    expect(other.output()).toContain(`METRICS_PORT ${port} is taken: there are no metrics.`);
    expect(await process.end("SIGTERM")).toBe(0);
    expect(canaries.foundIn(`${text}${process.output()}`)).toEqual([]);
    await receiver.close();
    await remove();
  },
  60_000,
);

import { expect, test } from "vitest";
import { PaymentStatus } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { refusalOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const SECONDS = 15n;

const service = await forFile(startService());
service.clock.stop();
const merchant = await createMerchant(service);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

async function opened(): Promise<{ id: string; payer: Payer }> {
  const id = await merchant.newLink({ payment_methods: ["pix", "card"] });
  const payer = new Payer(service, id);
  await payer.open();
  return { id, payer };
}

const shorten = async (id: string) =>
  await merchant.links.updatePaymentLink({ id, expiresIn: SECONDS }, merchant.as);

/** Commits that wait for another one. */
async function countWaiting(): Promise<number> {
  // A transaction sees the activity of its first look until it asks anew.
  await rows.run("SELECT pg_stat_clear_snapshot()");
  return await rows.count("pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'");
}

/** Has both decide by the link as it is now, and commit in this order. */
async function inOrder<One, Other>(id: string, one: () => Promise<One>, other: () => Promise<Other>) {
  await rows.run("BEGIN");
  await rows.run("SELECT FROM test.payment_link WHERE id = $1 FOR UPDATE", [id]);
  const first = one();
  await expect.poll(countWaiting, { timeout: 20_000 }).toBe(1);
  const second = other();
  await expect.poll(countWaiting, { timeout: 20_000 }).toBe(2);
  await rows.run("COMMIT");
  return await Promise.all([first, second]);
}

test.each([
  ["PIX", async (payer: Payer) => await payer.start()],
  ["a card", async (payer: Payer) => await payer.card("tok_challenge")],
])("an open session ends with its link, and so does %s that is started in it", async (_, start) => {
  const { id, payer } = await opened();
  const end = (await shorten(id)).paymentLink?.expiresAt;
  expect((await payer.session()).expiresAt).toEqual(end);
  const listed = await payer.client.listCheckoutSessions({ linkId: id }, merchant.as);
  expect(listed.data.map(({ expiresAt }) => expiresAt)).toEqual([end]);
  await start(payer);
  expect((await payer.session()).payment?.expiresAt).toEqual(end);
});

test("PIX that is paid after the earlier end, while the session would have lasted, is no success", async () => {
  const { id, payer } = await opened();
  await shorten(id);
  const { paymentId } = await payer.start();
  service.clock.advance(120);
  await service.core.tasks.expireLinks();
  await payer.receipt(paymentId.replace("_", ""), 15_990n);
  const { payment } = await payer.session();
  expect(payment?.status).not.toBe(PaymentStatus.SUCCEEDED);
  expect(payment?.hasException).toBe(true);
});

test("a session's own end stays the latest when its link's end moves back", async () => {
  const { id, payer } = await opened();
  const { expiresAt } = await payer.session();
  expect(expiresAt?.seconds).toBe(BigInt(Math.floor(service.clock.nowMs() / 1000)) + 900n);
  await shorten(id);
  await merchant.links.updatePaymentLink({ id, expiresIn: 7200n }, merchant.as);
  expect((await payer.session()).expiresAt).toEqual(expiresAt);
});

test("a payment that starts while its link's end is moved ends with the link", async () => {
  const { id, payer } = await opened();
  const [{ paymentLink }] = await inOrder(
    id,
    async () => await shorten(id),
    async () => await payer.start(),
  );
  expect((await payer.session()).payment?.expiresAt).toEqual(paymentLink?.expiresAt);
});

test("an end is not moved earlier if a payment was started meanwhile", async () => {
  const { id, payer } = await opened();
  const [{ paymentId }, refusal] = await inOrder(
    id,
    async () => await payer.start(),
    async () => await refusalOf(shorten(id)),
  );
  expect(paymentId).toMatch(/^pay_/);
  expect(refusal).toMatchObject({ code: "invalid_request", param: "expires_in" });
});

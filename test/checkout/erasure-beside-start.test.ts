import { createClient } from "@connectrpc/connect";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { CheckoutService, SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { codeOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const PHONE = "+5511912345678";
const LINK = { payment_methods: ["pix"], collect_fields: ["phone"] };

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const checkout = createClient(CheckoutService, service.core.transport);
const merchant = await createMerchant(service);
const other = new pg.Client({ connectionString: service.databaseUrl });
afterAll(async () => await other.end());
await other.connect();

const waitingCount = async (): Promise<number> =>
  await rows.count("pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'");
const phoneOf = async (paymentId: string) =>
  (await checkout.getPayerDetails({ paymentId }, merchant.as)).payer?.phone;

/** Returns a payer whose first payment was declined, with that payment. */
async function declined(): Promise<{ payer: Payer; linkId: string; first: string }> {
  const linkId = await merchant.newLink(LINK);
  const payer = new Payer(service, linkId);
  await payer.open();
  const { paymentId: first } = await payer.start({ payer: { phone: PHONE } });
  await payer.simulate(SandboxAction.DECLINE);
  return { payer, linkId, first };
}

/** Locks a row while both are asked for, the second once the first waits. Returns what became of them, and if the second did not wait. */
async function atOnce<First, Second>(
  lock: string,
  id: string,
  ask: () => Promise<First>,
  then: () => Promise<Second>,
): Promise<[First, Second, boolean]> {
  await other.query("BEGIN");
  await other.query(lock, [id]);
  const first = ask();
  await expect.poll(waitingCount).toBeGreaterThan(0);
  const second = then();
  let isSettled = false;
  void second.finally(() => (isSettled = true));
  await expect.poll(async () => isSettled || (await waitingCount()) > 1).toBe(true);
  const hasOvertaken = isSettled;
  await other.query("ROLLBACK");
  return [await first, await second, hasOvertaken];
}

test("a payment that uses a session's details again keeps none of what is erased while it starts", async () => {
  const { payer, linkId, first } = await declined();
  const [started, erased] = await atOnce(
    "SELECT FROM test.payment_link WHERE id = $1 FOR UPDATE",
    linkId,
    async () =>
      await payer.start().then(
        ({ paymentId }) => paymentId,
        () => null,
      ),
    async () => await codeOf(checkout.erasePayerDetails({ paymentId: first }, merchant.as)),
  );
  const isErased = erased === "ok";
  expect(isErased || erased === "payment_in_progress").toBe(true);
  expect([started && (await phoneOf(started)), await phoneOf(first)]).toEqual(
    isErased ? [null, undefined] : [PHONE, PHONE],
  );
});

test("no erasure overlooks the details of a payment that started before it", async () => {
  const { payer, first } = await declined();
  const [erased, started, isStartedBefore] = await atOnce(
    "SELECT FROM test.charge WHERE payment_id = $1 FOR UPDATE",
    first,
    async () => await codeOf(checkout.erasePayerDetails({ paymentId: first }, merchant.as)),
    async () => (await payer.start({ payer: { phone: PHONE } })).paymentId,
  );
  expect(erased).toBe(isStartedBefore ? "payment_in_progress" : "ok");
  expect([await phoneOf(first), await phoneOf(started)]).toEqual([
    isStartedBefore ? PHONE : undefined,
    PHONE,
  ]);
});

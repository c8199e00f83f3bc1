import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { ProviderKind } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { DisputeStatus, RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { checkLedger } from "../ledger/book-keeper.ts";
import { API_KEY, CALLBACK_TOKEN, configAt, pass, PERSON, startCards } from "../live-cards/card-merchant.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { outcomeOf, PAID_ONCE } from "./outcome.ts";

const cards = await forFile(startCards());
const { asaas, service, providers } = cards;
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const refunds = createClient(RefundsService, service.core.transport);
const merchant = await createMerchant(service, {}, "live");
const request = { kind: ProviderKind.PIX, profile: "asaas", asaas: configAt(cards) };
const { account, callbackUrl } = await providers.putProviderAccount(request, merchant.as);
const { pathname: url } = new URL(callbackUrl);

async function paid() {
  const payer = new Payer(service, await merchant.newLink({ payment_methods: ["pix"] }));
  await payer.open();
  const { paymentId } = await payer.start({ payer: PERSON });
  const id = asaas.paymentsOf(paymentId.replace("_", ""))[0]?.id ?? "";
  asaas.pay(id);
  await pass(cards, 31);
  return { paymentId, id };
}

let number = 0;
async function post(event: string, block: object, name = "balanceData"): Promise<void> {
  const body = { id: `evt_${crypto.randomUUID()}&${++number}`, event, dateCreated: "2026-11-03 10:00:00" };
  const payload = JSON.stringify({ ...body, [name]: { date: "2026-11-03", description: "MED", ...block } });
  const headers = { "asaas-access-token": CALLBACK_TOKEN };
  for (let count = 0; count < 2; count++) {
    expect((await service.gateway.inject({ method: "POST", url, headers, payload })).statusCode).toBe(200);
  }
  await service.core.tasks.answerCallbacks();
}
const block = async (id: string, changes: object = {}, name?: string): Promise<void> =>
  await post("BALANCE_VALUE_BLOCKED", { type: "PIX_INFRACTION", paymentId: id, value: 10, ...changes }, name);
const unblock = async (id: string): Promise<void> =>
  await post("BALANCE_VALUE_UNBLOCKED", { type: "PIX_INFRACTION", paymentId: id, value: 10 });

const disputesOf = async (paymentId: string) =>
  (await refunds.listDisputes({ paymentId }, merchant.as)).disputes;
const statusesOf = async (id: string) => (await disputesOf(id)).map(({ status }) => status);
const told = async (id: string): Promise<unknown[]> =>
  (
    await rows.read(
      `SELECT type FROM live.event
        WHERE object_id = $1 AND type NOT IN ('payment.pending', 'payment.succeeded') ORDER BY created_at, id`,
      [id],
    )
  ).map(({ type }) => type);

describe("input 2: a block of balance by MED at Asaas", () => {
  test.each(["balance", "balanceData"])(
    "in `%s` is a notice on the payment that needs a person, and books nothing",
    async (name) => {
      const { paymentId, id } = await paid();
      await block(id, {}, name);
      expect(await disputesOf(paymentId)).toMatchObject([
        {
          status: DisputeStatus.NEEDS_RESPONSE,
          amount: 1000n,
          installment: 0,
          reason: "PIX_INFRACTION",
          openedOn: "2026-11-03",
        },
      ]);
      const events = [...PAID_ONCE.events, "payment.disputed"];
      expect(await outcomeOf(rows, merchant, paymentId)).toEqual({ ...PAID_ONCE, events });
      const waiting = await refunds.listDisputes({ needsResponse: true }, merchant.as);
      expect(waiting.disputes.map((one) => one.paymentId)).toContain(paymentId);
      expect((await checkLedger(service, Mode.LIVE)).problems).toEqual([]);
    },
  );

  test("is on the console's first page and on the payment's", async () => {
    const { paymentId, id } = await paid();
    await block(id);
    const client = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "viewer"));
    expect((await client.get("/console/live?lang=pt-BR")).body).toContain("Contestações que esperam");
    const { body } = await client.get(`/console/live/payments/${paymentId}?lang=pt-BR`);
    expect(body).toContain("PIX_INFRACTION");
    expect(body).toContain("espera a sua resposta");
  });

  test("that is freed is won once Asaas was asked whether the money went back", async () => {
    const { paymentId, id } = await paid();
    await block(id);
    asaas.fail("listPayments", { kind: "cut" });
    await unblock(id).catch(() => undefined);
    service.faults.length = 0;
    expect(await statusesOf(paymentId)).toEqual([DisputeStatus.UNDER_REVIEW]);
    service.clock.advance(60);
    await service.core.tasks.answerCallbacks();
    expect(await statusesOf(paymentId)).toEqual([DisputeStatus.WON]);
    expect(await told(paymentId)).toEqual(["payment.disputed", "payment.dispute_closed"]);
  });

  test.each([
    ["before it is freed", false, true],
    ["after it is freed", true, false],
    ["and is not freed", false, false],
  ])("whose money goes back %s is lost", async (_when, isFreedBefore, isFreedAfter) => {
    const { paymentId, id } = await paid();
    await block(id);
    if (isFreedBefore) await unblock(id);
    const headers = { access_token: API_KEY, "user-agent": "test", "content-type": "application/json" };
    asaas.payOut(-1000n);
    const refunded = await fetch(`${asaas.baseUrl}/payments/${id}/refund`, {
      method: "POST",
      headers,
      body: '{"value":10}',
    });
    expect(refunded.status).toBe(200);
    if (isFreedAfter) await unblock(id);
    const reference = paymentId.replace("_", "");
    const payload = JSON.stringify({
      event: "PAYMENT_REFUNDED",
      payment: { id, externalReference: reference },
    });
    const token = { "asaas-access-token": CALLBACK_TOKEN };
    await service.gateway.inject({ method: "POST", url, headers: token, payload });
    await service.core.tasks.answerCallbacks();
    expect(await statusesOf(paymentId)).toEqual([DisputeStatus.LOST]);
    const events = ["payment.disputed", "payment.dispute_closed", "payment.returned"];
    expect(new Set(await told(paymentId))).toEqual(new Set(events));
    expect(await told(paymentId)).toHaveLength(events.length);
  });

  test.each([
    { type: "JUDICIAL" },
    { paymentId: "pay_of_nobody" },
    { paymentId: null },
    { value: "10" },
    { value: 0 },
  ])("of %o is no notice, and is taken with 200", async (changes) => {
    const { paymentId, id } = await paid();
    await block(id, changes);
    expect(await disputesOf(paymentId)).toEqual([]);
  });

  test("is among the events that a registration asks for", async () => {
    await providers.verifyProviderAccount({ id: account?.id ?? "", isRegistered: true }, merchant.as);
    const [{ events = [] } = {}] = asaas.account(API_KEY).webhooks.values();
    expect(events).toEqual(expect.arrayContaining(["BALANCE_VALUE_BLOCKED", "BALANCE_VALUE_UNBLOCKED"]));
  });
});

import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { startBank } from "../../tools/bank/bank.ts";
import type { CallbackReference } from "../../src/providers/ports.ts";
import { verifyAccount } from "../../src/providers/api-pix/verification.ts";
import { accountAt, chargeRequest, CLIENT, connected, registrationOf } from "../api-pix/connected.ts";
import { newAuthority } from "../support/certificates.ts";
import { callbackReceiver } from "./receiver.ts";

let reference: string;
const authority = await newAuthority("Test Bank CA");
const [server, identity] = await Promise.all([authority.issue(), authority.issue()]);
const receiver = await callbackReceiver(authority);
afterAll(async () => await receiver.stop());
const bank = await startBank({
  server,
  clientAuthority: authority.cert,
  clients: [CLIENT],
  callbacks: { identity, authority: authority.cert },
});
afterAll(async () => await bank.stop());
const made = { bank, authority, identity };
beforeEach(async () => {
  const { client, provider } = connected(made, accountAt(made));
  bank.callbacks.mode = "prompt";
  await verifyAccount(client, bank.clock, registrationOf(`${receiver.url}?hmac=secret&ignorar=`));
  const request = chargeRequest({ expiresAt: new Date(bank.clock.nowMs() + 900_000) });
  await provider.createCharge(request);
  ({ reference } = request);
  receiver.received.length = 0;
});

const readCallback = (body: string) => connected(made, accountAt(made)).provider.readCallback(body);
const told = (): (readonly CallbackReference[])[] => receiver.received.map(({ text }) => readCallback(text));

describe("the bank's callbacks", () => {
  test("go to the registered address with /pix behind it, and say which charge was paid", async () => {
    const { endToEndId } = bank.pay(reference, 15_990n);
    await bank.callbacks.settled();
    expect(receiver.received.map(({ path }) => path)).toEqual(["/providers/route1?hmac=secret&ignorar=/pix"]);
    expect(told()).toEqual([[{ reference, providerPaymentId: endToEndId }]]);
    expect(bank.callbacks.deliveries.at(-1)?.status).toBe(200);
  });

  test("come again when money goes back, by us or by the bank", async () => {
    const { endToEndId } = bank.pay(reference, 15_990n);
    bank.returnByBank(endToEndId, 1n);
    const { provider } = connected(made, accountAt(made));
    const refund = { providerPaymentId: endToEndId, amountMinor: 1n, reason: null, requestedAt: new Date(0) };
    await provider.refund({ ...refund, refundId: "refundofours" });
    await bank.callbacks.settled();
    expect(told().flat()).toHaveLength(3);
  });

  test("say nothing of money without a txid, and of another key", async () => {
    bank.payKey(5n);
    bank.payKey(5n, { txid: reference, key: "loja@example.com" });
    await bank.callbacks.settled();
    expect(receiver.received).toEqual([]);
  });

  test("can be late, batched, in another order and repeated", async () => {
    bank.callbacks.mode = "held";
    const first = bank.pay(reference, 1n);
    const second = bank.pay(reference, 2n);
    await bank.callbacks.settled();
    expect(receiver.received).toEqual([]);
    await bank.callbacks.deliver({ isBatched: true, isReversed: true, times: 2 });
    const batch = [second, first].map(({ endToEndId }) => ({ reference, providerPaymentId: endToEndId }));
    expect(told()).toEqual([batch, batch]);
  });

  test("can be lost", async () => {
    bank.callbacks.mode = "lost";
    bank.pay(reference, 1n);
    await bank.callbacks.deliver();
    await bank.callbacks.settled();
    expect(receiver.received).toEqual([]);
  });

  test("to an address that does not answer leave the bank as it is", async () => {
    const { client } = connected(made, accountAt(made));
    await verifyAccount(client, bank.clock, registrationOf("https://localhost:1/x"));
    bank.pay(reference, 1n);
    await bank.callbacks.settled();
    expect(bank.callbacks.deliveries.at(-1)).toMatchObject({
      url: "https://localhost:1/x/pix",
      status: null,
    });
  });
});

describe("a callback's body", () => {
  test.each([
    "",
    "no JSON",
    "[]",
    "null",
    '{"pix":{}}',
    '[null,7,"x"]',
    "[",
    '{"pix":[null,7,"x"]}',
    '{"evento":"teste_webhook"}',
  ])("of another form refers to nothing: %s", (body) => {
    expect(readCallback(body)).toEqual([]);
  });

  test("refers by ids alone, and never by what is no id", () => {
    const pix = [
      { txid: "a'b", endToEndId: 5, valor: "1.00" },
      { txid: "abc", endToEndId: "E1" },
    ];
    const read = [
      { reference: null, providerPaymentId: null },
      { reference: "abc", providerPaymentId: "E1" },
    ];
    expect(readCallback(JSON.stringify({ pix }))).toEqual(read);
    // Inter sends the list alone.
    expect(readCallback(JSON.stringify(pix))).toEqual(read);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyAccount } from "../../src/providers/api-pix/verification.ts";
import {
  accountAt,
  all,
  chargeRequest,
  connected,
  faultOf,
  newReference,
  newRefundId,
  NOW,
  testBank,
  type TestBank,
  registrationOf,
} from "./connected.ts";
import { isOfficialFileThere, OfficialFile } from "./official-file.ts";

if (!isOfficialFileThere)
  console.warn("The central bank's file is not beside the checkout: it is not checked by.");

describe.skipIf(!isOfficialFileThere)("the central bank's own file", () => {
  let made: TestBank;
  let file: OfficialFile;
  beforeAll(async () => {
    [made, file] = await Promise.all([testBank(), OfficialFile.read()]);
  });
  afterAll(async () => await made.bank.stop());

  /** Returns what all calls since the last time break, beside those of the token, which is not in the file. */
  const violations = (): string[] =>
    made.bank.requests
      .splice(0)
      .filter(({ call }) => call !== "token")
      .flatMap((one) =>
        file.violations(one).map((text) => `${one.method} ${one.path} ${one.status}: ${text}`),
      );

  test("holds all that the adapter sends and the bank answers", async () => {
    const { bank } = made;
    const { client, provider } = connected(made, accountAt(made));
    const request = chargeRequest();
    await provider.find(request.reference);
    await provider.createCharge(request);
    await provider.createCharge({ ...request, isRepeated: true });
    await provider.find(request.reference);
    const { endToEndId: providerPaymentId } = bank.pay(request.reference, 15_990n);
    bank.payKey(5n);
    const refund = {
      refundId: newRefundId(),
      providerPaymentId,
      amountMinor: 5990n,
      reason: "Defeito",
      requestedAt: new Date(0),
    };
    await provider.findRefund(refund);
    await provider.refund(refund);
    await provider.findRefund(refund);
    expect(await provider.refund({ ...refund, amountMinor: 1n })).toMatchObject({ amountMinor: 5990n });
    bank.returnByBank(providerPaymentId, 100n);
    await provider.find(request.reference);
    expect((await faultOf(provider.cancel(request.reference))).kind).toBe("refused");
    const removed = chargeRequest({ description: null });
    await provider.createCharge(removed);
    await provider.cancel(removed.reference);
    const period = { from: new Date(NOW.getTime() - 2 * 86_400_000), to: NOW };
    expect(await all(provider.received(period))).toHaveLength(2);
    expect(await all(provider.returned(period))).toHaveLength(1);
    await verifyAccount(client, bank.clock, registrationOf());
    await verifyAccount(
      client,
      bank.clock,
      registrationOf("https://pay.example.com/providers/x?hmac=s&ignorar="),
    );
    bank.fail("readCharge", { kind: "status", status: 503 });
    await faultOf(provider.find(newReference()));
    expect(bank.requests.length).toBeGreaterThan(20);
    expect(violations()).toEqual([]);
  });

  test.each(["offset", "seconds"] as const)("holds answers with times in the form %s", async (form) => {
    made.bank.timeForm = form;
    const { provider } = connected(made, accountAt(made));
    const request = chargeRequest();
    await provider.createCharge(request);
    made.bank.pay(request.reference, 1n);
    await provider.find(request.reference);
    made.bank.timeForm = "zulu";
    expect(violations()).toEqual([]);
  });

  test("does not hold what is wrong, on either side", async () => {
    const { client } = connected(made, accountAt(made));
    const send = async (path: string, body: object) =>
      await client.send({ method: "PUT", resource: "cob", path, body });
    const right = { calendario: { expiracao: 60 }, valor: { original: "1.00" }, chave: "x" };
    await send("/cob/short", right);
    await send(`/cob/${newReference()}`, { ...right, valor: { original: 1 } });
    await client.send({ method: "GET", resource: "pix", path: "/pix?inicio=today" });
    made.bank.fail("createCharge", { kind: "charge", alteration: "number_amounts" });
    const key = accountAt(made).pixKey;
    await send(`/cob/${newReference()}`, { ...right, chave: key });
    made.bank.fail("readCharge", { kind: "busy", retryAfter: "1" });
    await client.send({ method: "GET", resource: "cob", path: `/cob/${newReference()}` });
    expect(violations().map((text) => text.replaceAll(/pay\d+/g, "TXID"))).toEqual([
      "PUT /v2/cob/short 400: parameter txid: short",
      "PUT /v2/cob/TXID 400: request/valor/original: must be string",
      "GET /v2/pix 400: parameter inicio: today",
      "GET /v2/pix 400: parameter fim: absent",
      "GET /v2/pix 400: status 400 is not in the file",
      "PUT /v2/cob/TXID 201: answer/valor/original: must be string",
      "GET /v2/cob/TXID 429: status 429 is not in the file",
    ]);
  });
});

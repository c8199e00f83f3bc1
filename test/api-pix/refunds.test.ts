import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { ApiPixProvider } from "../../src/providers/api-pix/provider.ts";
import type { RefundRequest } from "../../src/providers/ports.ts";
import { accountAt, chargeRequest, connected, faultOf, newRefundId, NOW, testBank } from "./connected.ts";

let provider: ApiPixProvider;
const made = await testBank();
afterAll(async () => await made.bank.stop());
beforeEach(() => {
  made.bank.clock.set(NOW);
  made.bank.faults.clear();
  made.bank.returnRules = { outcome: "DEVOLVIDO", reason: null, isRepeatable: true };
  ({ provider } = connected(made, accountAt(made)));
});

/** Pays R$ 159.90, and returns a request to give a part of it back. */
async function paid(amountMinor = 5990n): Promise<RefundRequest> {
  const { reference } = chargeRequest();
  await provider.createCharge({ ...chargeRequest(), reference });
  const { endToEndId: providerPaymentId } = made.bank.pay(reference, 15_990n);
  return {
    refundId: newRefundId(),
    providerPaymentId,
    amountMinor,
    reason: "Produto com defeito",
    requestedAt: new Date(0),
  };
}
const returnsOf = ({ providerPaymentId }: RefundRequest) =>
  made.bank.account().money.get(providerPaymentId)?.returns ?? [];

describe("a refund", () => {
  test("is requested by our id, and its present state is returned", async () => {
    const request = await paid();
    const started = await provider.refund(request);
    expect(started).toEqual({
      id: request.refundId,
      providerPaymentId: request.providerPaymentId,
      amountMinor: 5990n,
      status: "processing",
      reason: "ORIGINAL",
      requestedAt: NOW,
      endedAt: null,
    });
    made.bank.clock.advance(2);
    expect(await provider.findRefund(request)).toMatchObject({ id: request.refundId, status: "succeeded" });
    expect(returnsOf(request)[0]?.id).toMatch(/^ref[0-9a-z]{26}$/);
  });

  test("has its own id again in the charge's returns", async () => {
    const { reference } = chargeRequest();
    await provider.createCharge({ ...chargeRequest(), reference });
    const { endToEndId: providerPaymentId } = made.bank.pay(reference, 15_990n);
    const refundId = newRefundId();
    await provider.refund({
      refundId,
      providerPaymentId,
      amountMinor: 1n,
      reason: null,
      requestedAt: new Date(0),
    });
    expect((await provider.find(reference)).returns.map(({ id }) => id)).toEqual([refundId]);
  });

  test("of a part and of the rest is two, and of a centavo more is refused", async () => {
    const request = await paid(10_000n);
    await provider.refund(request);
    const rest = { ...request, refundId: newRefundId(), amountMinor: 5991n };
    expect(await faultOf(provider.refund(rest))).toEqual({ kind: "refused", code: "PixDevolucaoInvalida" });
    await provider.refund({ ...rest, refundId: newRefundId(), amountMinor: 5990n });
    expect(returnsOf(request).map(({ amountMinor }) => amountMinor)).toEqual([10_000n, 5990n]);
  });

  test.each([true, false])(
    "twice with one id gives back once; the bank repeats itself: %s",
    async (isRepeatable) => {
      made.bank.returnRules = { ...made.bank.returnRules, isRepeatable };
      const request = await paid();
      await provider.refund(request);
      expect(await provider.refund(request)).toMatchObject({ id: request.refundId, status: "succeeded" });
      expect(returnsOf(request)).toHaveLength(1);
    },
  );

  test("with the id of another amount is answered with the amount that the bank has", async () => {
    const request = await paid();
    await provider.refund(request);
    const other = { ...request, amountMinor: 1n };
    expect(await provider.refund(other)).toMatchObject({ id: request.refundId, amountMinor: 5990n });
    expect(returnsOf(request)).toHaveLength(1);
  });

  test("that was refused and made all the same is found after a while, by its id", async () => {
    const request = await paid();
    made.bank.fail("return", { kind: "refused_yet_made", status: 409, hiddenSeconds: 1 });
    expect(await faultOf(provider.refund(request))).toEqual({
      kind: "refused",
      code: "PixDevolucaoInvalida",
    });
    expect(await provider.findRefund(request)).toBeUndefined();
    made.bank.clock.advance(1);
    expect(await provider.findRefund(request)).toMatchObject({ status: "succeeded", amountMinor: 5990n });
  });

  test.each([{ kind: "lost" }, { kind: "html", status: 200 }, { kind: "html", status: 504 }] as const)(
    "whose answer was lost by %o is found by our id, and is given once",
    async (fault) => {
      const request = await paid();
      made.bank.fail("return", fault);
      expect((await faultOf(provider.refund(request))).kind).toBe("unknown");
      expect(await provider.findRefund(request)).toMatchObject({ status: "succeeded", amountMinor: 5990n });
      await provider.refund(request);
      expect(returnsOf(request)).toHaveLength(1);
    },
  );

  test("that never arrived is not found", async () => {
    const request = await paid();
    made.bank.fail("return", { kind: "cut" });
    expect((await faultOf(provider.refund(request))).kind).toBe("unknown");
    expect(await provider.findRefund(request)).toBeUndefined();
  });

  test("whose success has no body is read at once", async () => {
    const request = await paid();
    made.bank.fail("return", { kind: "empty", status: 204 });
    expect(await provider.refund(request)).toMatchObject({ id: request.refundId });
  });

  test("that the bank could not carry out has failed, with its reason, and a new id tries again", async () => {
    made.bank.returnRules = { outcome: "NAO_REALIZADO", reason: "Saldo insuficiente", isRepeatable: true };
    const request = await paid(15_990n);
    await provider.refund(request);
    expect(await provider.findRefund(request)).toMatchObject({
      status: "failed",
      reason: "Saldo insuficiente",
      endedAt: NOW,
    });
    made.bank.returnRules = { outcome: "DEVOLVIDO", reason: null, isRepeatable: true };
    const again = { ...request, refundId: newRefundId() };
    await provider.refund(again);
    expect(await provider.findRefund(again)).toMatchObject({ status: "succeeded", amountMinor: 15_990n });
  });

  test("stays under way until the bank ends it", async () => {
    made.bank.returnRules = { outcome: "EM_PROCESSAMENTO", reason: null, isRepeatable: true };
    const request = await paid();
    await provider.refund(request);
    expect(await provider.findRefund(request)).toMatchObject({ status: "processing", endedAt: null });
    made.bank.endReturn(request.providerPaymentId, returnsOf(request)[0]?.id ?? "", "DEVOLVIDO");
    expect(await provider.findRefund(request)).toMatchObject({ status: "succeeded" });
  });

  test("after 90 days is refused by the bank", async () => {
    const request = await paid();
    made.bank.clock.advance(90 * 86_400 + 1);
    expect(await faultOf(provider.refund(request))).toEqual({
      kind: "refused",
      code: "PixDevolucaoInvalida",
    });
  });

  test("of money that the bank does not have is refused", async () => {
    const request = { ...(await paid()), providerPaymentId: "E00000000202611201500aaaaaaaaaaa" };
    expect((await faultOf(provider.refund(request))).kind).toBe("refused");
  });
});

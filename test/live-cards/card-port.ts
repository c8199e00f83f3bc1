import { describe, expect, test } from "vitest";
import { newId } from "../../contract/ids.ts";
import type { CardProvider, CardRequest, CardState, ChargeName } from "../../src/providers/card-port.ts";

/** A provider with a person at its other side, for the tests that every card provider passes. */
export interface PlayedCards {
  readonly provider: CardProvider;
  /** A request that the provider takes, with a reference of its own. */
  readonly request: (changes?: Partial<CardRequest>) => CardRequest;
  /** What a charge is until then: it is at a page, or with the card's issuer. */
  readonly waitsAs: "challenge" | "processing";
  readonly now: () => Date;
  /** The payer passes the challenge, or pays on the provider's page, or the issuer approves. */
  readonly pays: (reference: string) => Promise<void>;
  /** How often the payer was charged by this reference. */
  readonly chargedCount: (reference: string) => Promise<number>;
}

const named = ({ reference }: CardRequest): ChargeName => ({ reference, chargeId: null });
const moneyOf = ({ receipts }: CardState): bigint =>
  receipts.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);

/** The tests that every provider of the card port passes. */
export function testCardPort(name: string, play: () => Promise<PlayedCards>): void {
  describe(`${name} as a card provider`, () => {
    test("knows no charge before it is asked for", async () => {
      const { provider, request } = await play();
      const found = await provider.find(named(request()));
      expect(found).toMatchObject({ progress: { status: "absent" }, receipts: [], returns: [] });
    });

    test("waits at a page or with the issuer, and tells the whole price once it is paid", async () => {
      const { provider, request, pays, waitsAs } = await play();
      const asked = request({ amountMinor: 100_003n, installments: 3 });
      const { progress, receipts } = await provider.authorize(asked);
      const url = waitsAs === "challenge" ? { url: expect.stringMatching(/^https?:\/\//) } : {};
      expect(progress).toEqual({ status: waitsAs, ...url });
      expect(receipts).toEqual([]);
      await pays(asked.reference);
      const paid = await provider.find(named(asked));
      expect(paid.progress.status).toBe("approved");
      expect(paid.receipts.map(({ amountMinor }) => amountMinor)).toEqual([100_003n]);
    });

    test("charges one reference once, however often it is asked for", async () => {
      const { provider, request, pays, chargedCount } = await play();
      const asked = request();
      await provider.authorize(asked);
      await provider.authorize({ ...asked, isRepeated: true });
      await pays(asked.reference);
      await provider.authorize({ ...asked, isRepeated: true });
      expect(await chargedCount(asked.reference)).toBe(1);
      const { receipts } = await provider.find(named(asked));
      expect(receipts).toHaveLength(1);
    });

    test("keeps the money of a charge that was paid before it is withdrawn", async () => {
      const { provider, request, pays } = await play();
      const asked = request();
      await provider.authorize(asked);
      await pays(asked.reference);
      expect(moneyOf(await provider.cancel(named(asked)))).toBe(asked.amountMinor);
      expect(moneyOf(await provider.find(named(asked)))).toBe(asked.amountMinor);
    });

    test("withdraws what it does not know without a fault", async () => {
      const { provider, request } = await play();
      expect(await provider.cancel(named(request()))).toMatchObject({ progress: { status: "absent" } });
    });

    test("gives back once by one refund's id", async () => {
      const { provider, request, pays, now } = await play();
      const asked = request();
      await provider.authorize(asked);
      await pays(asked.reference);
      const [receipt] = (await provider.find(named(asked))).receipts;
      if (!receipt) throw new Error("nothing was paid");
      const refund = {
        refundId: newId("ref"),
        providerPaymentId: receipt.providerPaymentId,
        amountMinor: asked.amountMinor,
        reason: null,
        requestedAt: now(),
      };
      expect(await provider.findRefund(refund)).toBeUndefined();
      // One that has no idempotency key is asked to once.
      const made = await provider.refund(refund);
      const again = await (provider.isRefundIdempotent
        ? provider.refund(refund)
        : provider.findRefund(refund));
      for (const one of [made, again]) {
        expect(one).toMatchObject({ id: refund.refundId, amountMinor: asked.amountMinor });
      }
      const { returns } = await provider.find(named(asked));
      expect(returns.map(({ amountMinor }) => amountMinor)).toEqual([asked.amountMinor]);
    });

    test("reads nothing in a callback of another form", async () => {
      const { provider } = await play();
      for (const body of ["", "null", "[]", "{", '{"payment":7}'])
        expect(provider.readCallback(body)).toEqual([]);
    });
  });
}

/** The tests of providers that say what became of the money of a paid charge. */
export function testSettlementFacts(name: string, play: () => Promise<PlayedCards>): void {
  describe(`${name} about the money of a charge`, () => {
    test("tells nothing before it is paid, then each installment: together the price, of net and fees each", async () => {
      const { provider, request, pays } = await play();
      const asked = request({ amountMinor: 100_003n, installments: 3 });
      const { chargeId } = await provider.authorize(asked);
      expect(await provider.settlementFacts?.(chargeId ?? "")).toEqual({ installments: [], disputes: [] });
      await pays(asked.reference);
      const [receipt] = (await provider.find(named(asked))).receipts;
      const { installments = [], disputes } =
        (await provider.settlementFacts?.(receipt?.providerPaymentId ?? "")) ?? {};
      expect(installments.map(({ installment }) => installment)).toEqual([1, 2, 3]);
      expect(installments.reduce((sum, { grossMinor }) => sum + grossMinor, 0n)).toBe(100_003n);
      for (const one of installments) {
        expect(one.netMinor + one.feeMinor + one.anticipationFeeMinor).toBe(one.grossMinor);
        expect(one.dueOn).toMatch(/^\d{4}-\d\d-\d\d$/);
        expect(one).toMatchObject({ paidOn: null, refundedMinor: 0n, chargedBackMinor: 0n });
      }
      expect(disputes).toEqual([]);
    });

    test("tells nothing of a charge that it does not have", async () => {
      const { provider } = await play();
      const told = provider.settlementFacts?.("pay_0000000000000000");
      expect(await told).toEqual({ installments: [], disputes: [] });
    });
  });
}

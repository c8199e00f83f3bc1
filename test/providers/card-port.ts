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
  /** The card's issuer refuses. */
  readonly declines: (reference: string) => Promise<void>;
  /** What a charge is then: final, or still at a page where another card may be tried. */
  readonly declinedAs: "declined" | "challenge" | "absent";
  /** How often the payer was charged by this reference. */
  readonly chargedCount: (reference: string) => Promise<number>;
}

/** A provider that is reached over a network, with what may go wrong there. */
export interface RemoteCards extends PlayedCards {
  /** The next request for a charge is carried out, and its answer never comes. */
  readonly losesAnswer: () => void;
  /** The payer pays just before the next withdrawal is carried out, or just after it. */
  readonly paysDuringWithdrawal: (reference: string, moment: "before" | "after") => void;
  /** How many charges or pages of this reference a payer could still pay, or an issuer approve. */
  readonly openCount: (reference: string) => number;
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

    test("takes nothing of a card that is declined", async () => {
      const { provider, request, pays, declines, declinedAs, chargedCount } = await play();
      const asked = request();
      await provider.authorize(asked);
      await declines(asked.reference);
      const declined = await provider.find(named(asked));
      expect([declined.progress.status, declined.receipts]).toEqual([declinedAs, []]);
      const again = await provider.authorize({ ...asked, isRepeated: true });
      expect(await chargedCount(asked.reference)).toBe(0);
      if (declinedAs === "declined") {
        expect(again.progress).toEqual(declined.progress);
        return;
      }
      await pays(asked.reference);
      expect(moneyOf(await provider.find(named(asked)))).toBe(asked.amountMinor);
    });

    test("reads nothing in a callback of another form, and no reference in another form than ours", async () => {
      const { provider } = await play();
      for (const body of ["", "null", "[]", "{", '{"payment":7}'])
        expect(provider.readCallback(body)).toEqual([]);
      for (const reference of ["order-77", "4000000000000010"]) {
        const payment = { id: "pay_1", externalReference: reference };
        const body = JSON.stringify({ payment, data: { id: "ch_1", order: { code: reference } } });
        expect(JSON.stringify(provider.readCallback(body))).not.toContain(reference);
      }
    });
  });
}

/** The tests of providers over a network: of answers that are lost, of withdrawal and of charges made twice. */
export function testRemoteCards(name: string, play: () => Promise<RemoteCards>): void {
  describe(`${name} over a network`, () => {
    test("whose answer is lost has one charge, which the next request finds", async () => {
      const { provider, request, pays, losesAnswer, waitsAs, chargedCount } = await play();
      const asked = request();
      losesAnswer();
      await expect(provider.authorize(asked)).rejects.toMatchObject({ kind: "unknown" });
      const again = await provider.authorize({ ...asked, isRepeated: true });
      expect(again.progress.status).toBe(waitsAs);
      await pays(asked.reference);
      expect(await chargedCount(asked.reference)).toBe(1);
      const { progress, receipts } = await provider.find(named(asked));
      expect([progress.status, receipts.map(({ amountMinor }) => amountMinor)]).toEqual([
        "approved",
        [asked.amountMinor],
      ]);
    });

    test("withdraws an open charge, once and for all", async () => {
      const { provider, request, openCount, chargedCount } = await play();
      const asked = request();
      const { chargeId } = await provider.authorize(asked);
      expect(openCount(asked.reference)).toBe(1);
      const made = { reference: asked.reference, chargeId };
      expect(await provider.cancel(made)).toMatchObject({ progress: { status: "canceled" }, receipts: [] });
      expect(openCount(asked.reference)).toBe(0);
      const again = await provider.cancel(made);
      expect([again.receipts, again.returns]).toEqual([[], []]);
      expect(await chargedCount(asked.reference)).toBe(0);
    });

    test.each(["before", "after"] as const)(
      "finds the money of a payer who pays just %s the withdrawal",
      async (moment) => {
        const { provider, request, paysDuringWithdrawal, chargedCount } = await play();
        const asked = request();
        const { chargeId } = await provider.authorize(asked);
        paysDuringWithdrawal(asked.reference, moment);
        const { progress, receipts } = await provider.cancel({ reference: asked.reference, chargeId });
        expect([progress.status, receipts.map(({ amountMinor }) => amountMinor)]).toEqual([
          "approved",
          [asked.amountMinor],
        ]);
        expect(await chargedCount(asked.reference)).toBe(1);
      },
    );

    test("asked twice at once leaves the payer one charge, and takes its money once", async () => {
      const { provider, request, pays, openCount, chargedCount } = await play();
      const asked = request();
      const [one, other] = await Promise.all([provider.authorize(asked), provider.authorize(asked)]);
      const made = { reference: asked.reference, chargeId: one.chargeId };
      if (other.chargeId !== one.chargeId) await provider.discard?.(other.chargeId ?? "");
      await provider.find(made);
      expect(openCount(asked.reference)).toBe(1);
      await pays(asked.reference);
      expect(moneyOf(await provider.find(made))).toBe(asked.amountMinor);
      expect(await chargedCount(asked.reference)).toBe(1);
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
      // The money has the first of the ids that a provider keeps a charge by.
      const [id = ""] = chargeId?.split(" ") ?? [];
      expect(await provider.settlementFacts?.(id)).toEqual({ installments: [], disputes: [] });
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

import { describe, expect, test } from "vitest";
import { newId } from "../../contract/ids.ts";
import { checkedCode } from "../../src/providers/pix-code.ts";
import type { ChargeRequest, PixProvider, ReceivedIn, RefundRequest } from "../../src/providers/ports.ts";

/** A provider with a payer at its other side, for the tests that every PIX provider passes. */
export interface PlayedPix {
  readonly provider: PixProvider;
  /** A request that the provider takes, with a reference of its own. */
  readonly request: (changes?: Partial<ChargeRequest>) => ChargeRequest;
  readonly now: () => Date;
  /** The payer pays the price, in any state of the charge. Returns the provider's own id of the money. */
  readonly pays: (reference: string) => Promise<string>;
  /** How many charges of this reference a payer could still pay. */
  readonly openCount: (reference: string) => Promise<number>;
}

/** A provider that is reached over a network, with what may go wrong there. */
export interface RemotePix extends PlayedPix {
  /** The next request for a charge or a refund is carried out, and its answer never comes. */
  readonly losesAnswer: (to: "charge" | "refund") => void;
  /** Returns the body of the provider's callback about a paid charge. */
  readonly callbackOf: (reference: string) => Promise<string>;
}

const HOUR_MS = 3_600_000;

function periodAround(now: Date, fromHours: number, toHours: number): ReceivedIn {
  const [from, to] = [fromHours, toHours].map((hours) => new Date(now.getTime() + hours * HOUR_MS));
  return { from: from ?? now, to: to ?? now };
}

/** Has the whole day that it is, for providers that know days alone. */
const lately = (now: Date): ReceivedIn => periodAround(now, -25, 1);
const otherDays = (now: Date): ReceivedIn[] => [periodAround(now, -96, -72), periodAround(now, 72, 96)];

/** Makes a charge that is paid. */
async function paidCharge({ provider, request, pays }: PlayedPix, changes: Partial<ChargeRequest> = {}) {
  const asked = request(changes);
  const { chargeId } = await provider.createCharge(asked);
  const providerPaymentId = await pays(asked.reference);
  const find = async () => await provider.find(asked.reference, {}, chargeId);
  return { ...asked, chargeId, providerPaymentId, find };
}

function refundOf(
  { providerPaymentId }: { readonly providerPaymentId: string },
  amountMinor: bigint,
  { now }: PlayedPix,
): RefundRequest {
  return { refundId: newId("ref"), providerPaymentId, amountMinor, reason: null, requestedAt: now() };
}

/** The tests that every provider of the PIX port passes. */
export function testPixPort(name: string, play: () => Promise<PlayedPix>): void {
  describe(`${name} as a PIX provider`, () => {
    test("knows no charge before it is asked for, and withdraws it without a fault", async () => {
      const { provider, request } = await play();
      const { reference } = request();
      for (let count = 0; count < 2; count++) {
        const found = await provider.find(reference);
        expect(found).toMatchObject({ status: "absent", receipts: [], returns: [] });
        await provider.cancel(reference);
      }
    });

    test("makes one charge of one reference, with a code of its price that stays the same", async () => {
      const { provider, request, pays } = await play();
      const asked = request();
      const first = await provider.createCharge(asked);
      expect(checkedCode(first, asked)).toMatch(/^000201/);
      expect(await provider.createCharge({ ...asked, isRepeated: true })).toEqual(first);
      const waiting = await provider.find(asked.reference, {}, first.chargeId);
      expect(waiting).toMatchObject({ status: "waiting", receipts: [], returns: [] });
      await pays(asked.reference);
      expect((await provider.find(asked.reference, {}, first.chargeId)).receipts).toHaveLength(1);
    });

    test.each([0, 1])(
      "asked twice at once leaves the charge of the code that is shown, no. %i",
      async (index) => {
        const { provider, request, pays, openCount } = await play();
        const asked = request();
        const codes = await Promise.all([provider.createCharge(asked), provider.createCharge(asked)]);
        const shown = codes[index];
        await provider.find(asked.reference, {}, shown?.chargeId);
        expect(await openCount(asked.reference)).toBe(1);
        expect(await provider.createCharge({ ...asked, isRepeated: true })).toEqual(shown);
        await pays(asked.reference);
        const { receipts } = await provider.find(asked.reference, {}, shown?.chargeId);
        expect(receipts.map(({ amountMinor }) => amountMinor)).toEqual([asked.amountMinor]);
      },
    );

    test("tells the whole price once it is paid, by the money's own id and with its time", async () => {
      const played = await play();
      const before = Math.floor(played.now().getTime() / 1000) * 1000;
      const { find, providerPaymentId } = await paidCharge(played, { amountMinor: 100_003n });
      const { receipts, returns } = await find();
      expect(receipts).toMatchObject([{ providerPaymentId, amountMinor: 100_003n }]);
      expect(returns).toEqual([]);
      const paidMs = receipts[0]?.paidAt.getTime() ?? 0;
      expect(paidMs).toBeGreaterThanOrEqual(before);
      expect(paidMs).toBeLessThanOrEqual(played.now().getTime());
    });

    test.each(["before", "after"] as const)("keeps the money that came %s the withdrawal", async (moment) => {
      const { provider, request, pays } = await play();
      const { reference, ...asked } = request();
      const { chargeId } = await provider.createCharge({ ...asked, reference });
      if (moment === "before") await pays(reference);
      // What is paid may refuse to be withdrawn.
      await provider.cancel(reference, chargeId).catch((error: unknown) => {
        expect([moment, error]).toMatchObject(["before", { kind: "refused" }]);
      });
      if (moment === "after") await pays(reference);
      const { receipts } = await provider.find(reference, {}, chargeId);
      expect(receipts.map(({ amountMinor }) => amountMinor)).toEqual([asked.amountMinor]);
    });

    test("gives back once by one refund's id, and the rest by another", async () => {
      const played = await play();
      const { provider } = played;
      const money = await paidCharge(played);
      const part = refundOf(money, 5990n, played);
      const rest = refundOf(money, money.amountMinor - 5990n, played);
      for (const refund of [part, rest]) {
        expect(await provider.findRefund(refund)).toBeUndefined();
        const made = await provider.refund(refund);
        // One that has no idempotency key is asked to once.
        const again = provider.isRefundIdempotent ? await provider.refund(refund) : made;
        const { refundId: id, providerPaymentId, amountMinor } = refund;
        for (const one of [made, again, await provider.findRefund(refund)]) {
          expect(one).toMatchObject({ id, providerPaymentId, amountMinor });
        }
      }
      const { receipts, returns } = await money.find();
      expect(receipts).toMatchObject([{ amountMinor: money.amountMinor }]);
      expect(returns.map(({ id, amountMinor }) => `${id} ${amountMinor}`).toSorted()).toEqual(
        [part, rest].map(({ refundId, amountMinor }) => `${refundId} ${amountMinor}`).toSorted(),
      );
    });

    test("lists its money with its reference, in the period in which it came alone", async () => {
      const played = await play();
      const { provider, now } = played;
      const { reference, amountMinor, providerPaymentId, find } = await paidCharge(played);
      const listed = async (period: ReceivedIn) =>
        (await Array.fromAsync(provider.received(period))).filter((one) => one.reference === reference);
      const [receipt] = (await find()).receipts;
      if (!receipt) throw new Error("nothing was paid");
      const { paidAt } = receipt;
      for (const period of [lately(now()), { from: paidAt, to: paidAt }]) {
        const money = await listed(period);
        expect(money).toMatchObject([{ reference, providerPaymentId, amountMinor, returns: [] }]);
      }
      for (const period of otherDays(now())) expect(await listed(period)).toEqual([]);
    });

    test("lists money as returned once a part of it went back, and no sooner", async () => {
      const played = await play();
      const { provider, now } = played;
      const money = await paidCharge(played);
      const { reference, amountMinor, providerPaymentId } = money;
      const listed = async (period: ReceivedIn) =>
        (await Array.fromAsync(provider.returned(period))).filter((one) => one.reference === reference);
      expect(await listed(lately(now()))).toEqual([]);
      const refund = refundOf(money, 5990n, played);
      await provider.refund(refund);
      const returns = [{ id: refund.refundId, amountMinor: 5990n }];
      expect(await listed(lately(now()))).toMatchObject([
        { reference, providerPaymentId, amountMinor, returns },
      ]);
      for (const period of otherDays(now())) expect(await listed(period)).toEqual([]);
    });

    test("reads nothing in a callback of another form", async () => {
      const { provider } = await play();
      for (const body of [
        "",
        "null",
        "[]",
        "{",
        '{"pix":7}',
        '{"pix":[7]}',
        '{"payment":7}',
        '{"payment":{}}',
      ])
        expect(provider.readCallback(body)).toEqual([]);
    });
  });
}

/** The tests of providers over a network: of answers that are lost, of withdrawal and of callbacks. */
export function testRemotePix(name: string, play: () => Promise<RemotePix>): void {
  describe(`${name} for PIX over a network`, () => {
    test("whose answer is lost has one charge, which the next request finds", async () => {
      const { provider, request, pays, losesAnswer, openCount } = await play();
      const asked = request();
      losesAnswer("charge");
      await expect(provider.createCharge(asked)).rejects.toMatchObject({ kind: "unknown" });
      expect(await openCount(asked.reference)).toBe(1);
      const again = await provider.createCharge({ ...asked, isRepeated: true });
      expect(checkedCode(again, asked)).toMatch(/^000201/);
      expect(await openCount(asked.reference)).toBe(1);
      const providerPaymentId = await pays(asked.reference);
      const { receipts } = await provider.find(asked.reference, {}, again.chargeId);
      expect(receipts).toMatchObject([{ providerPaymentId, amountMinor: asked.amountMinor }]);
    });

    test("withdraws an open charge, once and for all", async () => {
      const { provider, request, openCount } = await play();
      const asked = request();
      const { chargeId } = await provider.createCharge(asked);
      expect(await openCount(asked.reference)).toBe(1);
      for (let count = 0; count < 2; count++) {
        await provider.cancel(asked.reference, chargeId);
        expect(await openCount(asked.reference)).toBe(0);
      }
      expect((await provider.find(asked.reference, {}, chargeId)).receipts).toEqual([]);
    });

    test("whose answer to a refund is lost has given back once, and finds it by its id", async () => {
      const played = await play();
      const { provider, losesAnswer } = played;
      const money = await paidCharge(played);
      const refund = refundOf(money, 5990n, played);
      losesAnswer("refund");
      await expect(provider.refund(refund)).rejects.toMatchObject({ kind: "unknown" });
      const made = { id: refund.refundId, amountMinor: 5990n };
      expect(await provider.findRefund(refund)).toMatchObject(made);
      if (provider.isRefundIdempotent) expect(await provider.refund(refund)).toMatchObject(made);
      expect((await money.find()).returns).toMatchObject([made]);
    });

    test("names the money of a callback, and no reference in another form than ours", async () => {
      const played = await play();
      const { provider, callbackOf } = played;
      const { reference, providerPaymentId } = await paidCharge(played);
      const body = await callbackOf(reference);
      expect(provider.readCallback(body)).toMatchObject([{ reference, providerPaymentId }]);
      for (const other of ["order-77", "pay 1", "x".repeat(101)]) {
        expect(body).toContain(reference);
        const read = provider.readCallback(body.replaceAll(reference, other));
        expect(JSON.stringify(read)).not.toContain(other);
      }
    });
  });
}

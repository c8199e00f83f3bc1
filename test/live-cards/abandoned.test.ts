import { describe, expect, test } from "vitest";
import { CALLS_MAX } from "../support/asaas/limits.ts";
import { forFile } from "../support/for-file.ts";
import { Payer } from "../support/payer.ts";
import { API_KEY, connectCards, pass, startCard, startCards } from "./card-merchant.ts";

// The rate of 600 starts in 12 hours, for a part of them.
const STARTS_OF_DAY = 600;
const EVERY_SECONDS = 72;
const STARTS = 25;
const STEP_SECONDS = 36;
const HOUR = 3600;

const keys = Array.from({ length: 8 }, (_, index) => `${API_KEY}-${index}`);
const cards = await forFile(startCards(keys));
const { asaas, service } = cards;
const CAMPAIGN = { amount: 100_000, payment_methods: ["card"], max_installments: 21, campaign: true };
let count = 0;

/** A merchant whose account no other test uses, and the payers of its links. */
async function connected() {
  const key = keys[count++] ?? "";
  const merchant = await connectCards(cards, key);
  const { quota } = asaas.account(key);
  return {
    ...merchant,
    /** How often its account was asked. */
    calls: () => asaas.requests.filter(({ headers }) => headers["access_token"] === key).length,
    /** The account has used most of its calls, and gets new ones after so many seconds. */
    useMost: (seconds = 12 * HOUR) => {
      quota.startedMs = asaas.clock.nowMs() - (12 * HOUR - seconds) * 1000;
      quota.used = CALLS_MAX * 0.81;
    },
    newCampaign: async () => await merchant.newLink(CAMPAIGN),
    opened: async (linkId: string) => {
      const payer = new Payer(service, linkId);
      await payer.open();
      return payer;
    },
  };
}

const refresh = async (linkId: string, { client, sessionId }: Payer): Promise<void> => {
  await client.refreshPayment({ linkId, sessionId }, { headers: { ...service.internal.headers } });
};
const isRemoved = (reference: string): boolean =>
  asaas.paymentsOf(reference).every(({ isDeleted }) => isDeleted);
/** Lets time pass in parts, in which checks may be put off. */
const passes = async (seconds: number, step: number): Promise<void> => {
  for (let passed = 0; passed < seconds; passed += step) await pass(cards, step).catch(() => undefined);
};

describe("charges that their payers abandon", () => {
  test("cost 13 calls each, so that 600 in 12 hours leave two thirds of an account's calls", async () => {
    const { newCampaign, opened, calls } = await connected();
    const linkId = await newCampaign();
    for (let number = 0; number < STARTS; number++) {
      await startCard(await opened(linkId));
      for (let passed = 0; passed < EVERY_SECONDS; passed += STEP_SECONDS) await pass(cards, STEP_SECONDS);
    }
    for (const seconds of [960, 12 * HOUR, 40 * HOUR]) await passes(seconds, Math.min(seconds / 16, HOUR));
    const each = calls() / STARTS;
    expect(each).toBeGreaterThan(5);
    expect(each).toBeLessThanOrEqual(13);
    expect(each * STARTS_OF_DAY).toBeLessThan(CALLS_MAX / 3);
    const { challengeUrl } = await startCard(await opened(await newCampaign()));
    expect(challengeUrl).toBeDefined();
  });

  test("are withdrawn, asked about three times in two days, and money that comes late is found", async () => {
    const { start, calls } = await connected();
    const [late, never] = [await start(), await start(3)];
    await passes(961, 31);
    expect([isRemoved(late.reference), isRemoved(never.reference)]).toEqual([true, true]);
    const before = calls();
    await passes(20 * HOUR, HOUR);
    asaas.pay(asaas.paymentsOf(late.reference)[0]?.id ?? "");
    expect((await late.payer.session()).payment?.hasException).toBe(false);
    await passes(29 * HOUR, HOUR);
    expect((await late.payer.session()).payment?.hasException).toBe(true);
    expect(calls() - before).toBe(6);
    await passes(48 * HOUR, 6 * HOUR);
    expect(calls() - before).toBe(6);
  });

  test("are of one customer in a session, and of another one in another session", async () => {
    const { newCampaign, opened } = await connected();
    const linkId = await newCampaign();
    const payer = await opened(linkId);
    const all = [await startCard(payer), await startCard(payer, 2), await startCard(await opened(linkId))];
    const [first, again, other] = all.map(({ reference }) => asaas.paymentsOf(reference)[0]?.customerId);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });
});

test("a link's crowd of 101 payers goes to the provider's page at once", async () => {
  const { newCampaign, opened } = await connected();
  const linkId = await newCampaign();
  const started = await Promise.all(
    Array.from({ length: 101 }, async () => await startCard(await opened(linkId))),
  );
  expect(started.filter(({ challengeUrl }) => challengeUrl === undefined)).toEqual([]);
});

describe("an account with few calls left", () => {
  test("keeps them for payers who start, who return, and whose time ends", async () => {
    const { useMost, newCampaign, opened, read, calls } = await connected();
    const [linkId, left] = [await newCampaign(), await newCampaign()];
    useMost();
    const [payer, leaving] = [await opened(linkId), await opened(left)];
    const [paid, abandoned] = [await startCard(payer), await startCard(leaving)];
    const before = calls();
    await expect(pass(cards, 31)).rejects.toThrow(/looked after/);
    await passes(300, 30);
    expect(calls()).toBe(before);
    asaas.pay(asaas.paymentsOf(paid.reference)[0]?.id ?? "");
    await refresh(linkId, payer);
    expect((await read(paid.paymentId))["status"]).toBe("succeeded");
    await passes(660, 60);
    expect(isRemoved(abandoned.reference)).toBe(true);
    expect((await read(abandoned.paymentId))["status"]).toBe("failed");
  });

  test("checks its charges again when it has new ones", async () => {
    const { useMost, start, read, calls } = await connected();
    useMost(600);
    const { paymentId, reference } = await start();
    asaas.pay(asaas.paymentsOf(reference)[0]?.id ?? "");
    const before = calls();
    await passes(590, 59);
    expect([calls(), (await read(paymentId))["status"]]).toEqual([before, "processing"]);
    await passes(60, 30);
    expect((await read(paymentId))["status"]).toBe("succeeded");
  });

  test("takes the payers of a link's crowd as long as its provider takes its calls", async () => {
    const { useMost, newCampaign, opened } = await connected();
    const linkId = await newCampaign();
    useMost();
    for (let number = 0; number < 21; number++) {
      expect((await startCard(await opened(linkId))).challengeUrl).toBeDefined();
    }
  });

  test("is left alone for a minute after a refusal without a time", async () => {
    const { start, read, calls } = await connected();
    const [one, other] = [await start(), await start()];
    asaas.fail("listPayments", { kind: "busy", retryAfter: null });
    const before = calls();
    await expect(pass(cards, 31)).rejects.toThrow(/looked after/);
    await passes(45, 15);
    // Both may have been asked about at the time of the refusal.
    expect(calls()).toBeLessThanOrEqual(before + 2);
    for (const { reference } of [one, other]) asaas.pay(asaas.paymentsOf(reference)[0]?.id ?? "");
    await passes(300, 15);
    for (const { paymentId } of [one, other]) expect((await read(paymentId))["status"]).toBe("succeeded");
    expect(calls()).toBeGreaterThan(before + 2);
  });
});

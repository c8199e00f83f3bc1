import { describe, expect, test } from "vitest";
import type { Fault } from "../support/provider/faults.ts";
import { forFile } from "../support/for-file.ts";
import { Payer } from "../support/payer.ts";
import { refusalOf } from "../support/refusal.ts";
import {
  cardToken,
  connectPagarme,
  FULL_PERSON,
  orderAgain,
  pass,
  referenceOf,
  startPagarmeService,
} from "./pagarme-merchant.ts";

const cards = await forFile(startPagarmeService());
const { pagarme, service } = cards;
const merchant = await connectPagarme(cards);

const statusOf = async (paymentId: string) => (await merchant.read(paymentId))["status"];
const chargesOf = (paymentId: string) =>
  pagarme.ordersOf(referenceOf(paymentId)).flatMap(({ charges }) => charges);
const askedCount = () => pagarme.requests.filter(({ call }) => call === "createOrder").length;

describe("case 13: a card's order whose answer is lost", () => {
  test.each<[string, Fault]>([
    ["after it was charged", { kind: "lost" }],
    ["in HTML, after it was charged", { kind: "html", status: 502 }],
    ["without a body, after it was charged", { kind: "empty", status: 200 }],
  ])("%s is found by its code, and charged once", async (_name, fault) => {
    pagarme.fail("createOrder", fault);
    const before = askedCount();
    const id = await merchant.paid(await merchant.opened(), 3);
    expect(service.faults.splice(0)).not.toEqual([]);
    expect(await statusOf(id)).toBe("processing");
    await pass(cards, 31);
    expect(await statusOf(id)).toBe("succeeded");
    expect(chargesOf(id)).toHaveLength(1);
    expect(askedCount() - before).toBe(1);
  });

  test("before it was made is not failed before two minutes, and never asked for again", async () => {
    pagarme.fail("createOrder", { kind: "cut" });
    const before = askedCount();
    const id = await merchant.paid(await merchant.opened());
    service.faults.splice(0);
    for (const seconds of [31, 40, 45]) {
      await pass(cards, seconds);
      expect(await statusOf(id)).toBe("processing");
    }
    await pass(cards, 60);
    expect(await merchant.read(id)).toMatchObject({ status: "failed", failure_code: "payment_declined" });
    expect(askedCount() - before).toBe(1);
    expect(chargesOf(id)).toEqual([]);
  });

  test("and that is hidden from lists for a minute is found when it shows", async () => {
    pagarme.fail("createOrder", { kind: "lost" });
    const id = await merchant.paid(await merchant.opened());
    service.faults.splice(0);
    pagarme.hide(referenceOf(id), 60);
    await pass(cards, 31);
    expect(await statusOf(id)).toBe("processing");
    await pass(cards, 40);
    expect(await statusOf(id)).toBe("succeeded");
  });

  test("and that shows after its payment has failed is an exception with its refund proposed", async () => {
    pagarme.fail("createOrder", { kind: "lost" });
    const payer = await merchant.opened();
    const id = await merchant.paid(payer);
    service.faults.splice(0);
    pagarme.hide(referenceOf(id), 900);
    for (const seconds of [31, 60, 60, 60]) await pass(cards, seconds);
    expect(await statusOf(id)).toBe("failed");
    await pass(cards, 3600);
    expect(await statusOf(id)).toBe("failed");
    expect((await payer.session()).payment?.hasException).toBe(true);
  });

  test("and another order with its code was paid too: the second is a duplicate", async () => {
    const payer = await merchant.opened();
    pagarme.decide({ kind: "processing" });
    const id = await merchant.paid(payer);
    const [order] = pagarme.ordersOf(referenceOf(id));
    await orderAgain(pagarme, referenceOf(id));
    pagarme.endWaiting(order?.charges[0]?.id ?? "", { kind: "paid" });
    await pass(cards, 31);
    expect(await statusOf(id)).toBe("succeeded");
    expect((await payer.session()).payment?.hasException).toBe(true);
  });
});

describe("case 13: a card", () => {
  test("is charged once by a double click, a second tab and another session, each with its own token", async () => {
    const before = askedCount();
    const linkId = await merchant.newLink({ amount: 100_000, payment_methods: ["card"] });
    const [one, other] = [new Payer(service, linkId), new Payer(service, linkId)];
    for (const payer of [one, other]) await payer.open();
    pagarme.decide({ kind: "processing" });
    const tokens = await Promise.all([1, 2, 3].map(async () => await cardToken(pagarme)));
    const clicks = await Promise.allSettled(
      tokens.slice(0, 2).map(async (token) => await one.card(token, 1, { payer: FULL_PERSON })),
    );
    const ids = clicks.flatMap((click) => (click.status === "fulfilled" ? [click.value.paymentId] : []));
    expect(new Set(ids).size).toBe(1);
    const late = other.card(tokens[2], 1, { payer: FULL_PERSON });
    expect(await refusalOf(late)).toMatchObject({ code: "payment_in_progress" });
    expect(askedCount() - before).toBe(1);
  });

  test("whose token's time is over fails at once, and another token is taken", async () => {
    const payer = await merchant.opened();
    const token = await cardToken(pagarme);
    service.clock.advance(61);
    pagarme.clock.advance(61);
    expect(await statusOf(await merchant.paid(payer, 1, token))).toBe("failed");
    expect(await statusOf(await merchant.paid(payer))).toBe("succeeded");
  });

  test("in whose place comes what can be no token is not sent there", async () => {
    const before = pagarme.requests.length;
    const payer = await merchant.opened();
    expect(await statusOf(await merchant.paid(payer, 1, "no token"))).toBe("failed");
    const refused = payer.card("4111111111111111", 1, { payer: FULL_PERSON });
    expect(await refusalOf(refused)).toMatchObject({ code: "card_number_refused" });
    expect(pagarme.requests).toHaveLength(before);
  });
});

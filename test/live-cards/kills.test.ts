import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newId } from "../../contract/ids.ts";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { checkLedger } from "../ledger/book-keeper.ts";
import type { Doomed } from "../live-pix/doomed.ts";
import { PAID_ONCE } from "../live-pix/outcome.ts";
import { Payer } from "../support/payer.ts";
import { CALLBACK_TOKEN, PERSON } from "./card-merchant.ts";
import { KilledCards, type Fate, type CardOutcome, type Left, type Step } from "./killed-cards.ts";

const PAID: CardOutcome = { ...PAID_ONCE, charged: { paid: 1, open: 0 } };
const REQUEST = { paymentMethod: PaymentMethod.CARD, installments: 2, payer: PERSON };

let scene: KilledCards;
beforeAll(async () => {
  scene = await KilledCards.start();
});
afterAll(async () => await scene.close());

const all = (steps: readonly Step[], outcome: CardOutcome): Record<string, CardOutcome> =>
  Object.fromEntries(steps.map(([name]) => [name, outcome]));
const told = (reference: string): object => ({ payment: { id: "pay_1", externalReference: reference } });
const problems = async () => (await checkLedger(scene.cards.service, Mode.LIVE)).problems;

/** A payment that is started in the process. After the restart its payer asks again, and pays. */
async function starting(process: Doomed, fate: Fate): Promise<Left> {
  const { merchant: of, cards } = scene;
  const linkId = await of.newLink({ amount: 100_000, payment_methods: ["card"], max_installments: 21 });
  const payer = new Payer(cards.service, linkId);
  await payer.open();
  const { sessionId } = payer;
  const begin = (): void => process.begin(linkId, sessionId, REQUEST);
  await scene.fate(process, fate, { session_id: sessionId });
  if (fate.fault) await process.untilSilent(fate.fault[0], begin);
  else begin();
  if (fate.stop) await process.stops.reached();
  if (!fate.fault && !fate.stop) {
    await expect.poll(async () => (await payer.session()).payment?.challengeUrl).toBeDefined();
  }
  let startedId = "";
  return {
    of,
    paymentId: async () => {
      const sql = "SELECT payment_id AS id FROM live.charge WHERE session_id = $1";
      const ids = (await scene.rows.read(sql, [sessionId])).map(({ id }) => String(id));
      expect(ids).toHaveLength(1);
      return ids[0] ?? "";
    },
    again: async () => {
      ({ paymentId: startedId } = await payer.start(REQUEST));
    },
    finish: () => cards.asaas.pay(scene.firstOf(startedId.replace("_", ""))),
  };
}

/** A paid payment whose callback the process has taken, and follows. */
async function calledBack(process: Doomed, fate: Fate): Promise<Left> {
  const of = fate.stop ? await scene.another() : scene.merchant;
  const { paymentId, reference } = await scene.paid(of);
  const isMoney = fate.stop?.[1] === "taken_receipt";
  await scene.fate(process, fate, isMoney ? { payment_id: paymentId } : { account_id: of.accountId });
  await process.callBack(of, told(reference), { token: CALLBACK_TOKEN });
  const run = (): void => process.run("answerCallbacks");
  if (fate.fault) await process.untilSilent(fate.fault[0], run);
  else if (fate.stop) run();
  if (fate.stop) await process.stops.reached();
  return { of, paymentId };
}

/** A paid payment of a merchant of its own, whose statement the process reads. */
async function swept(process: Doomed, fate: Fate): Promise<Left> {
  const of = await scene.another();
  const { paymentId } = await scene.paid(of);
  const isMoney = fate.stop?.[1] === "taken_receipt";
  await scene.fate(process, fate, isMoney ? { payment_id: paymentId } : { account_id: of.accountId });
  process.providers.sweepProviderAccount({ id: of.accountId }, of.as).catch(() => undefined);
  await process.stops.reached();
  return { of, paymentId };
}

/** A charge that is due, which the process checks. */
async function checked(process: Doomed, paymentId: string, fate: Fate): Promise<Left> {
  await scene.fate(process, fate, { payment_id: paymentId });
  await scene.rows.run("UPDATE live.charge SET check_at = created_at WHERE payment_id = $1", [paymentId]);
  const run = (): void => process.run("checkCharges");
  if (fate.fault) await process.untilSilent(fate.fault[0], run);
  else run();
  if (fate.stop) await process.stops.reached();
  return { of: scene.merchant, paymentId };
}

const at =
  (bring: (process: Doomed, fate: Fate) => Promise<Left>, fate: Fate): Step[1] =>
  async (process) =>
    await bring(process, fate);

const MONEY_IN: readonly Step[] = [
  ["the payment is not committed", at(starting, { stop: ["INSERT", "charge", {}] })],
  [
    "the payment is committed, Asaas has not heard of its customer",
    at(starting, { fault: ["createCustomer", "hang"] }),
  ],
  ["the customer is made, its answer is not read", at(starting, { fault: ["createCustomer", "silent"] })],
  ["the customer is known, the plan is not made", at(starting, { fault: ["createPayment", "hang"] })],
  ["the plan is made, its answer is not read", at(starting, { fault: ["createPayment", "silent"] })],
  ["the plan is known, its parts are not", at(starting, { fault: ["listPlanPayments", "silent"] })],
  [
    "the page is known, its address is not committed",
    at(starting, { stop: ["UPDATE", "charge", { preparation_count: null }] }),
  ],
  ["the page's address is committed", at(starting, {})],
  ["the callback is in the inbox", at(calledBack, {})],
  [
    "the callback is taken up, Asaas's answer is not read",
    at(calledBack, { fault: ["listPayments", "silent"] }),
  ],
  [
    "the money is known, its receipt is not committed",
    at(calledBack, { stop: ["INSERT", "taken_receipt", {}] }),
  ],
  [
    "the receipt is committed, the callback is not marked",
    at(calledBack, { stop: ["UPDATE", "provider_callback", { due_at: null }] }),
  ],
  [
    "a check has taken the charge, Asaas's answer is not read",
    async (process) =>
      await checked(process, (await scene.paid()).paymentId, { fault: ["listPayments", "silent"] }),
  ],
  ["a statement is read, its money is not committed", at(swept, { stop: ["INSERT", "taken_receipt", {}] })],
  [
    "a statement's money is committed, its cursor is not",
    at(swept, { stop: ["UPDATE", "provider_sweep", { kind: "received" }] }),
  ],
];

test("case 13: kill -9 at every step of a card leaves one charge, one receipt, one entry and one event", async () => {
  expect(await scene.killedAt(MONEY_IN)).toEqual(all(MONEY_IN, PAID));
  expect(await problems()).toEqual([]);
});

/** A payment whose session has ended, which the process withdraws. */
const ending =
  (fate: Fate): Step[1] =>
  async (process) => {
    const { paymentId } = await scene.merchant.start(2);
    await scene.rows.run(
      "UPDATE live.charge SET expires_at = created_at - interval '2 minutes' WHERE payment_id = $1",
      [paymentId],
    );
    return await checked(process, paymentId, fate);
  };

const ENDS: readonly Step[] = [
  ["the plan is not removed", ending({ fault: ["deletePlan", "hang"] })],
  ["the plan is removed, the answer is not read", ending({ fault: ["deletePlan", "silent"] })],
  [
    "the plan is removed, the payment's end is not committed",
    ending({ stop: ["UPDATE", "charge", { decline_reason: "canceled" }] }),
  ],
];

test("case 14: kill -9 at every step of a session's end leaves nothing to pay, and one event", async () => {
  const nothing = {
    status: "failed",
    money: 0,
    entries: [],
    events: ["payment.failed"],
    exceptions: [],
    charged: { paid: 0, open: 0 },
  };
  expect(await scene.killedAt(ENDS)).toEqual(all(ENDS, nothing));
});

/** A payment whose refund is asked for in the process. After the restart the merchant asks again, under its key. */
const refunding =
  (fate: Fate): Step[1] =>
  async (process) => {
    const { merchant: of, cards } = scene;
    const { paymentId, reference } = await scene.paid(of, 1);
    await scene.pass(60);
    const key = newId("req");
    await scene.fate(process, fate, { payment_id: paymentId });
    const isBooking = fate.stop?.[1] === "ledger_entry";
    const ask = async (): Promise<void> => await process.refund(of, paymentId, key);
    if (fate.fault) await process.untilSilent(fate.fault[0], () => void ask().catch(() => undefined));
    else if (fate.stop && !isBooking) void ask().catch(() => undefined);
    else await ask();
    if (isBooking) {
      cards.asaas.endRefunds(scene.firstOf(reference), "DONE");
      await scene.rows.run("UPDATE live.refund SET check_at = created_at WHERE payment_id = $1", [paymentId]);
      process.run("checkRefunds");
    }
    if (fate.stop) await process.stops.reached();
    return {
      of,
      paymentId,
      again: async () => {
        const headers = { ...of.as.headers, "idempotency-key": key };
        const client = createClient(RefundsService, cards.service.core.transport);
        await client.createRefund({ id: paymentId }, { headers });
      },
      finish: () => {
        cards.asaas.endRefunds(scene.firstOf(reference), "DONE");
        const given = cards.asaas.paymentsOf(reference).flatMap(({ refunds }) => refunds);
        expect(given.map(({ status }) => status)).toEqual(fate === UNHEARD ? [] : ["DONE"]);
      },
    };
  };

// Asaas may still carry it out.
const UNHEARD: Fate = { fault: ["refundPayment", "hang"] };
const UNHEARD_OF: readonly Step[] = [["Asaas has not heard of the refund", refunding(UNHEARD)]];

const MONEY_OUT: readonly Step[] = [
  ["the refund is not committed", refunding({ stop: ["INSERT", "refund", {}] })],
  [
    "the refund is committed, Asaas was not asked whether it has it",
    refunding({ fault: ["listRefunds", "hang"] }),
  ],
  ["that it is sent is not committed", refunding({ stop: ["UPDATE", "refund", { status: "requested" }] })],
  [
    "Asaas has given the money back, its answer is not read",
    refunding({ fault: ["refundPayment", "silent"] }),
  ],
  [
    "Asaas's answer is read and not committed",
    refunding({ stop: ["UPDATE", "refund", { status: "processing" }] }),
  ],
  ["the refund is under way", refunding({})],
  ["the refund is final, not booked", refunding({ stop: ["INSERT", "ledger_entry", { kind: "refund" }] })],
];

test("case 10: kill -9 at every step of a card's refund leaves at most one return, one entry and one event", async () => {
  scene.cards.asaas.refundRules.outcome = "PENDING";
  const once = {
    ...PAID,
    entries: ["payment", "refund"],
    events: ["payment.succeeded", "refund.succeeded"],
  };
  const outcomes = await scene.killedAt([...MONEY_OUT, ...UNHEARD_OF]);
  expect(outcomes).toEqual({ ...all(MONEY_OUT, once), ...all(UNHEARD_OF, PAID) });
  expect(await problems()).toEqual([]);
});

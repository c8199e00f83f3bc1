import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import type { Fault } from "../../tools/bank/faults.ts";
import type { Money } from "../../tools/bank/state.ts";
import { newId } from "../../contract/ids.ts";
import { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import type { LiveMerchant, Started } from "../provider-accounts/live-merchant.ts";
import { forFile } from "../support/for-file.ts";
import { Payer } from "../support/payer.ts";
import { Doomed } from "./doomed.ts";
import { PAID_ONCE, type Outcome } from "./outcome.ts";
import { Scene } from "./scene.ts";

const scene = await forFile(Scene.start());
const merchant = await scene.merchant();
const hmac = await scene.register(merchant);
scene.live.bank.callbacks.mode = "lost";

/** What is left when the process is killed at a step. */
interface Left {
  readonly of?: LiveMerchant;
  readonly paymentId: string | (() => Promise<string>);
  /** What a payer does after the restart. */
  readonly after?: () => Promise<unknown>;
  /** What a merchant does after the restart, at once with all others. Returns what holds half a minute later. */
  readonly again?: () => Promise<() => void>;
}

/** A step between two commits, and what brings a process to it. */
type Step = readonly [name: string, bring: (process: Doomed) => Promise<Left>];

/** Brings one process to all steps, kills it there, and returns what each payment came to after a restart. */
async function killedAt(steps: readonly Step[]): Promise<Record<string, Outcome>> {
  const { rows, live } = scene;
  const process = await Doomed.start({ service: live.service, rows, requests: live.bank.requests });
  const left: [name: string, Left][] = [];
  for (const [name, bring] of steps) left.push([name, await bring(process)]);
  await process.kill();
  for (const [, { after }] of left) await after?.();
  const held = await Promise.all(left.flatMap(([, { again }]) => again?.() ?? []));
  for (const seconds of held.length > 0 ? [15, 15] : []) await scene.pass(seconds);
  held.forEach((holds) => holds());
  for (const seconds of [15, 60, 3700]) await scene.pass(seconds);
  const outcomes: Record<string, Outcome> = {};
  for (const [name, { of = merchant, paymentId }] of left) {
    const id = typeof paymentId === "string" ? paymentId : await paymentId();
    outcomes[name] = await scene.outcome(of, id);
    expect(scene.live.bank.charge(id.replace("_", "")).revisions).toHaveLength(1);
  }
  return outcomes;
}

const told = ({ reference: txid }: Started): object => ({ pix: [{ txid }] });
const all = (steps: readonly Step[], one: Outcome) => Object.fromEntries(steps.map(([name]) => [name, one]));

/** A payment that is started in the process. After the restart its payer asks again, and pays. */
async function starting(
  process: Doomed,
  { fault, stop }: { fault?: Fault; stop?: readonly ["INSERT" | "UPDATE", object] },
): Promise<Left> {
  const { bank, service } = scene.live;
  const linkId = await merchant.newLink({ payment_methods: ["pix"] });
  const payer = new Payer(service, linkId);
  await payer.open();
  const { sessionId } = payer;
  const begin = (): void => void process.begin(linkId, sessionId);
  if (stop) await process.stops.at(stop[0], "charge", { session_id: sessionId, ...stop[1] });
  if (fault) bank.fail("createCharge", fault);
  if (fault) await process.untilSilent("createCharge", begin);
  else begin();
  if (!fault && !stop)
    await expect
      .poll(async () => (await payer.session()).payment?.pixCode, { timeout: 30_000 })
      .toBeDefined();
  return {
    paymentId: async () => {
      const sql = "SELECT payment_id AS id FROM live.charge WHERE session_id = $1";
      const ids = (await scene.rows.read(sql, [sessionId])).map(({ id }) => String(id));
      expect(ids).toHaveLength(1);
      return ids[0] ?? "";
    },
    after: async () => {
      const { paymentId } = await payer.start();
      await scene.pass(2, ["checkCharges"]);
      bank.pay(paymentId.replace("_", ""), 15_990n);
    },
  };
}

/** A payment whose money is at the bank for two minutes. */
async function paid(of = merchant): Promise<Started & { readonly money: Money }> {
  const started = await of.start();
  const { bank, service } = scene.live;
  const at = new Date(service.clock.nowMs() - 120_000);
  return { ...started, money: bank.pay(started.reference, 15_990n, at) };
}

/** A paid payment whose callback the process has taken, and follows. An account has few permits for those that stop. */
async function calledBack(process: Doomed, stop?: readonly [table: string, fields: object]): Promise<Left> {
  const of = stop ? await scene.merchant() : merchant;
  const secret = stop ? await scene.register(of) : hmac;
  const one = await paid(of);
  if (stop) {
    const fields = stop[0] === "taken_receipt" ? { payment_id: one.paymentId } : { account_id: of.accountId };
    const operation = stop[0] === "taken_receipt" ? "INSERT" : "UPDATE";
    await process.stops.at(operation, stop[0], { ...fields, ...stop[1] });
  } else scene.live.bank.fail("readCharge", { kind: "silent" });
  await process.callBack(of, told(one), { hmac: secret });
  if (stop) void process.run("answerCallbacks");
  else await process.untilSilent("readCharge", () => void process.run("answerCallbacks"));
  if (stop) await process.stops.reached();
  return { of, paymentId: one.paymentId };
}

/** A paid payment of a merchant of its own, whose statement the process reads. */
async function swept(process: Doomed, stop: "taken_receipt" | "provider_sweep"): Promise<Left> {
  const of = await scene.merchant();
  const { paymentId } = await paid(of);
  const { accountId: id, as } = of;
  if (stop === "taken_receipt") await process.stops.at("INSERT", stop, { payment_id: paymentId });
  else await process.stops.at("UPDATE", stop, { account_id: id, kind: "received" });
  process.providers.sweepProviderAccount({ id }, as).catch(() => undefined);
  await process.stops.reached();
  return { of, paymentId };
}

const MONEY_IN: readonly Step[] = [
  ["the payment is not committed", async (process) => await starting(process, { stop: ["INSERT", {}] })],
  [
    "the payment is committed, the bank has not heard of it",
    async (process) => await starting(process, { fault: { kind: "hang" } }),
  ],
  [
    "the bank has made the charge, its answer is not read",
    async (process) => await starting(process, { fault: { kind: "silent" } }),
  ],
  [
    "the bank's answer is read, the code is not committed",
    async (process) => await starting(process, { stop: ["UPDATE", { preparation_count: null }] }),
  ],
  ["the code is committed", async (process) => await starting(process, {})],
  ["the callback is taken up, the bank's answer is not read", async (process) => await calledBack(process)],
  [
    "the money is known, its receipt is not committed",
    async (process) => await calledBack(process, ["taken_receipt", {}]),
  ],
  [
    "the receipt is committed, the callback is not marked",
    async (process) => await calledBack(process, ["provider_callback", { due_at: null }]),
  ],
  [
    "a check has taken the charge, the bank's answer is not read",
    async (process) => {
      const { paymentId } = await paid();
      await scene.rows.run("UPDATE live.charge SET check_at = created_at WHERE payment_id = $1", [paymentId]);
      scene.live.bank.fail("readCharge", { kind: "silent" });
      await process.untilSilent("readCharge", () => void process.run("checkCharges"));
      return { paymentId };
    },
  ],
  [
    "a statement is read, its money is not committed",
    async (process) => await swept(process, "taken_receipt"),
  ],
  [
    "a statement's money is committed, its cursor is not",
    async (process) => await swept(process, "provider_sweep"),
  ],
  [
    "the callback is in the inbox",
    async (process) => {
      const one = await paid();
      await process.callBack(merchant, told(one), { hmac });
      return one;
    },
  ],
];

test("case 1: kill -9 at every step of a payment leaves one charge, one receipt, one entry and one event", async () => {
  expect(await killedAt(MONEY_IN)).toEqual(all(MONEY_IN, PAID_ONCE));
  expect(await scene.problems()).toEqual([]);
});

/** A payment whose refund is asked for in the process. After the restart the merchant asks again, under its key. */
async function refunding(
  process: Doomed,
  { fault, stop }: { fault?: Fault; stop?: readonly ["INSERT" | "UPDATE", string, object] },
): Promise<Left> {
  const { paymentId, money } = await paid();
  await scene.pass(60, ["checkCharges"]);
  const key = newId("req");
  const { bank, service } = scene.live;
  if (stop) await process.stops.at(stop[0], stop[1], { payment_id: paymentId, ...stop[2] });
  if (fault) bank.fail("return", fault);
  const asked = process.refund(merchant, paymentId, key);
  if (fault) await process.untilSilent("return", () => void asked.catch(() => undefined));
  else if (stop && stop[1] === "refund") {
    asked.catch(() => undefined);
    await process.stops.reached();
  } else await asked;
  if (stop?.[1] === "ledger_entry") {
    await scene.rows.run("UPDATE live.refund SET check_at = created_at WHERE payment_id = $1", [paymentId]);
    void process.run("checkRefunds");
    await process.stops.reached();
  }
  return {
    paymentId,
    again: async () => {
      const headers = { ...merchant.as.headers, "idempotency-key": key };
      await createClient(RefundsService, service.core.transport).createRefund({ id: paymentId }, { headers });
      return () => expect(money.returns.map(({ status }) => status)).toEqual(["DEVOLVIDO"]);
    },
  };
}

const MONEY_OUT: readonly Step[] = [
  [
    "the refund is not committed",
    async (process) => await refunding(process, { stop: ["INSERT", "refund", {}] }),
  ],
  [
    "the refund is committed, the bank has not heard of it",
    async (process) => await refunding(process, { fault: { kind: "hang" } }),
  ],
  [
    "the bank has given the money back, its answer is not read",
    async (process) => await refunding(process, { fault: { kind: "silent" } }),
  ],
  [
    "the bank's answer is read and not committed",
    async (process) => await refunding(process, { stop: ["UPDATE", "refund", { status: "processing" }] }),
  ],
  ["the refund is under way", async (process) => await refunding(process, {})],
  [
    "the refund is final, and not booked",
    async (process) => await refunding(process, { stop: ["INSERT", "ledger_entry", { kind: "refund" }] }),
  ],
];

test("case 10: kill -9 at every step of a refund leaves one return, one entry and one event", async () => {
  const events = ["payment.succeeded", "refund.succeeded"];
  const once = { ...PAID_ONCE, entries: ["payment", "refund"], events };
  expect(await killedAt(MONEY_OUT)).toEqual(all(MONEY_OUT, once));
  expect(await scene.problems()).toEqual([]);
});

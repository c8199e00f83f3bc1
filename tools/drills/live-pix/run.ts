import { createServer } from "node:https";
import { setTimeout as passes } from "node:timers/promises";
import type { ReceivedRequest } from "../../bank/answering.ts";
import type { ReturnStatus } from "../../bank/state.ts";
import type { Tasks } from "../../../src/worker.ts";
import {
  advance,
  connectMerchant,
  startLive,
  type LiveMerchant,
  type LiveService,
} from "../../../test/provider-accounts/live-merchant.ts";
import { DatabaseRows } from "../../../test/support/database-rows.ts";
import { freePorts } from "../../../test/support/process.ts";
import { startReceiver } from "../../../test/support/receiver.ts";
import { startServiceOn } from "../../../test/support/service.ts";
import { Random } from "../random.ts";
import { differences, type BankFigures, type BookFigures, type MerchantFigures } from "./figures.ts";
import { startDeliveries } from "./deliveries.ts";
import { Payers, type Payment } from "./payers.ts";
import { figuresOfBank, figuresOfBooks, figuresOfMerchant } from "./reading.ts";
import { Weather } from "./weather.ts";

/** How much happens, and how much of it goes wrong. */
export interface Plan {
  readonly seed: number;
  readonly payments: number;
  /** The part of the bank's answers that have a fault. */
  readonly faultRate: number;
  /** Payments at the same time. */
  readonly atOnce: number;
}

/** What came of a run. */
export interface Result {
  readonly bank: BankFigures;
  readonly books: BookFigures;
  readonly merchant: MerchantFigures;
  readonly differences: readonly string[];
  /** How many payers did what, how often money went back, and how often each fault came. */
  readonly payers: ReadonlyMap<string, number>;
  readonly givenBack: ReadonlyMap<string, number>;
  readonly faults: ReadonlyMap<string, number>;
  /** The kinds of these that never came. */
  readonly missing: readonly string[];
  readonly callbacks: { readonly posted: number; readonly lost: number };
  readonly requests: readonly ReceivedRequest[];
}

const TASKS: readonly (keyof Tasks)[] = [
  "answerCallbacks",
  "checkCharges",
  "checkRefunds",
  "sweepProviders",
  "expireLinks",
  "settle",
];
const FAILS = 0.1;
const LATE_ROUNDS = 3;
const POLL_MS = 100;
const DELIVERED_MS = 120_000;
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;
// Until each charge was watched, each sweep came, and each refund was asked about again.
const AFTER_SECONDS = [
  20,
  60,
  300,
  2000,
  HOUR_SECONDS,
  HOUR_SECONDS,
  ...Array.from({ length: 3 }, () => DAY_SECONDS),
];

/** Has payments made at a bank that often fails, and compares what bank, books and merchant have in the end. */
export async function run(databaseUrl: string, plan: Plan): Promise<Result> {
  const [port = 0] = await freePorts(1);
  const settings = {
    publicUrl: `https://localhost:${port}`,
    providerLimits: { connectMs: 2000, answerMs: 300 },
  };
  const live = await startLive(
    settings,
    {},
    async (given) => await startServiceOn(databaseUrl, "direct", given),
  );
  const { gateway } = live.service;
  const callbacks = createServer(await live.authority.issue(), (request, response) => {
    gateway.server.emit("request", request, response);
  }).listen(port, "127.0.0.1");
  const rows = await new DatabaseRows(databaseUrl).open();
  const random = new Random(plan.seed);
  const receiver = await startReceiver();
  const bodies: string[] = [];
  const answers = random.fork();
  receiver.answer(({ text }, response) => {
    const isTaken = answers.fraction() >= FAILS;
    if (isTaken) bodies.push(text);
    response.writeHead(isTaken ? 200 : 500).end();
  });
  // The service's clock moves when it is moved; a retry comes after a moment of real time.
  const running = { nowMs: () => live.service.clock.nowMs() + performance.now() };
  const deliveries = await startDeliveries(databaseUrl, running, () => undefined);
  try {
    const merchant = await connected(live, rows, receiver.url);
    const weather = new Weather(live.bank, random.fork(), plan.faultRate);
    const payers = new Payers(live, merchant, random.fork());
    const ids = await play(plan, { live, weather, payers, random });
    await allDelivered(rows);
    const bank = figuresOfBank(live.bank);
    const books = await figuresOfBooks(live, merchant, rows);
    const told = await figuresOfMerchant(merchant, bodies, ids);
    return {
      bank,
      books,
      merchant: told,
      differences: differences(bank, books, told),
      payers: payers.done.counts,
      givenBack: payers.givenBack.counts,
      faults: weather.faults.counts,
      missing: [payers.done, payers.givenBack, weather.faults].flatMap((tally) => tally.missing()),
      callbacks: {
        posted: live.bank.callbacks.deliveries.length,
        lost: live.bank.callbacks.lostCount,
      },
      requests: live.bank.requests,
    };
  } finally {
    await deliveries.stop();
    await receiver.close();
    await rows.close();
    callbacks.closeAllConnections();
    callbacks.close();
    live.service.faults.length = 0;
    await live.close();
  }
}

/** A merchant with an account at the bank, and an endpoint on this machine, which live mode would refuse. */
async function connected(live: LiveService, rows: DatabaseRows, url: string): Promise<LiveMerchant> {
  const merchant = await connectMerchant(live);
  const { accountId: id, as } = merchant;
  const { isCallbackRegistered } = await live.providers.verifyProviderAccount({ id, isRegistered: true }, as);
  if (!isCallbackRegistered) throw new Error("the bank did not take the address of callbacks");
  await merchant.webhooks.createWebhookEndpoint({ url: "https://93.184.215.14/hook" }, as);
  await rows.run("UPDATE live.webhook_endpoint SET url = $1", [url]);
  return merchant;
}

interface Stage {
  readonly live: LiveService;
  readonly weather: Weather;
  readonly payers: Payers;
  readonly random: Random;
}

/** Plays all payments in rounds, and then lets the weather clear and the days pass. Returns the payments' ids. */
async function play({ payments: count, atOnce }: Plan, stage: Stage): Promise<string[]> {
  const { live, weather, payers, random } = stage;
  const { bank } = live;
  const all: Payment[] = [];
  const later: (() => void)[][] = [];
  const passing = async (seconds: readonly number[]): Promise<void> => {
    for (const step of seconds) {
      weather.shift();
      advance(live, step);
      await work(live);
    }
    await weather.deliver();
  };
  for (let round = 0; all.length < count; round++) {
    bank.timeForm = random.pick(["zulu", "offset", "seconds"]);
    const outcome = random.pick<ReturnStatus>([
      "DEVOLVIDO",
      "DEVOLVIDO",
      "EM_PROCESSAMENTO",
      "NAO_REALIZADO",
    ]);
    bank.returnRules = { outcome, reason: null, isRepeatable: random.fraction() < 0.5 };
    const started = await Promise.all(
      Array.from({ length: Math.min(atOnce, count - all.length) }, async () => await payers.start()),
    );
    all.push(...started);
    await passing([2, 5, 10, 15]);
    const postponed: (() => void)[] = [];
    for (const payment of started) {
      weather.shift();
      const act = await payers.pay(payment);
      if (act) postponed.push(act);
    }
    later.push(postponed);
    await passing([30, 60]);
    for (const payment of started) await payers.giveBack(payment);
    await passing([15, 600]);
    for (const act of later[round - LATE_ROUNDS]?.splice(0) ?? []) act();
  }
  // Statements are read hourly: a short run has some in bad weather, too.
  await passing([2000, HOUR_SECONDS, HOUR_SECONDS]);
  for (const act of later.flat()) act();
  weather.clear();
  for (const { endToEndId, returns } of bank.account().money.values()) {
    for (const { id, status } of returns) {
      if (status === "EM_PROCESSAMENTO") bank.endReturn(endToEndId, id, "DEVOLVIDO");
    }
  }
  await weather.deliver();
  await passing(AFTER_SECONDS);
  return all.map(({ paymentId }) => paymentId);
}

/** One round of each background task. What fails is asked for again by a later one. */
async function work({ service }: LiveService): Promise<void> {
  for (const task of TASKS) await service.core.tasks[task]().catch(() => undefined);
  service.faults.length = 0;
}

/** Waits until no delivery is under way. */
async function allDelivered(rows: DatabaseRows): Promise<void> {
  const endMs = performance.now() + DELIVERED_MS;
  while ((await rows.count("live.webhook_delivery WHERE status = 'pending'")) > 0) {
    if (performance.now() > endMs) return;
    await passes(POLL_MS);
  }
}

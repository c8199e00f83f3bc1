import pg from "pg";
import { findBroken } from "../../chaos/invariants.ts";
import { casesOf, Mismatch, type Part } from "../part.ts";
import { requireNoFault } from "../faults.ts";
import type { Target } from "../target.ts";
import { compareBooks } from "./books.ts";
import type { Call } from "./call.ts";
import { Clients } from "./clients.ts";
import { dayOf } from "./decide-read.ts";
import { inSomeOrder } from "./orders.ts";
import { Resolver } from "./resolve.ts";
import { clientPlans, type ClientPlan, type Step } from "./client-plan.ts";
import { publish, setUp } from "./set-up.ts";
import { CALLERS, type CallerName, type World } from "./world.ts";

const CLIENTS = 4;
const PAGE = 3;
const DAYS_BACK = 400;
const DAY_SECONDS = 86_400;
// Not here, where days pass and keys are used anew.
const KEYS_KEPT = "resource without a stored answer";

/** Four clients at a time against a model of the public API. */
export const MODEL: Part = {
  name: "model",
  share: 4,
  prepare: (target, tally) => {
    const clients = new Clients(target, tally, CLIENTS);
    return Promise.resolve(
      casesOf(
        clientPlans,
        async (plan) => await play(target, clients, plan),
        async () => {
          clients.close();
          await requireUnbroken(target);
        },
      ),
    );
  },
};

async function play(target: Target, clients: Clients, plan: ClientPlan): Promise<void> {
  const { service } = target;
  let world = await setUp(service, plan);
  const resolver = new Resolver();
  for (const step of plan.steps) world = await take(target, clients, resolver, world, step);
  await service.core.tasks.expireLinks();
  for (const caller of CALLERS) {
    world = await listAll(target, clients, world, caller);
    await compareBooks(world, caller, service.transport, clients.headers(world, caller));
  }
}

/** The world after a step. */
async function take(
  target: Target,
  clients: Clients,
  resolver: Resolver,
  world: World,
  step: Step,
): Promise<World> {
  const { service } = target;
  if ("seconds" in step) {
    service.clock.advance(step.seconds);
    return { ...world, now: world.now + step.seconds };
  }
  if ("spotMicros" in step)
    return { ...world, spots: { ...world.spots, test: await publish(service, step) } };
  return await sendAll(target, clients, world, resolver.wave(world, step.wave));
}

async function sendAll(
  target: Target,
  clients: Clients,
  world: World,
  calls: readonly Call[],
): Promise<World> {
  const answered = await clients.send(world, calls);
  requireNoFault(target);
  return inSomeOrder(world, answered);
}

/** Reads all payments of a caller, page by page. */
async function listAll(target: Target, clients: Clients, world: World, caller: CallerName): Promise<World> {
  const [from, to] = [dayOf(world.now - DAYS_BACK * DAY_SECONDS), dayOf(world.now)];
  const all = [...world.payments.values()].filter((payment) => payment.caller === caller).length;
  const seen: string[] = [];
  for (let id = ""; ;) {
    const path = `/v1/payments?from=${from}&to=${to}&limit=${PAGE}${id === "" ? "" : `&starting_after=${id}`}`;
    const call: Call = {
      caller,
      operation: "list",
      path,
      body: {},
      text: "",
      key: null,
      id,
      fault: undefined,
      refusal: undefined,
    };
    const answered = await clients.send(world, [call]);
    requireNoFault(target);
    inSomeOrder(world, answered);
    const { data, next_cursor: next } = JSON.parse(answered[0]?.answer.text ?? "") as {
      data: { id: string }[];
      next_cursor: string | null;
    };
    seen.push(...data.map((payment) => payment.id));
    if (next === null) break;
    id = next;
  }
  if (seen.length !== all) throw new Mismatch(`${seen.length} payments are listed, not ${all}`);
  return world;
}

/** What must never be in the tables, by SQL that shares nothing with the service or this model. */
async function requireUnbroken({ service }: Target): Promise<void> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    const found = await findBroken(client);
    const broken = found.filter(({ name }) => name !== KEYS_KEPT);
    if (broken.length > 0) throw new Mismatch(`invariants broken: ${JSON.stringify(broken)}`);
  } finally {
    await client.end();
  }
}

import { createClient } from "@connectrpc/connect";
import { newId } from "../../../contract/ids.ts";
import { PaymentStatus } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { RefundsService } from "../../../gen/paylink/refunds/v1/refunds_pb.ts";
import type { Doomed } from "../../live-pix/doomed.ts";
import type { DatabaseRows } from "../../support/database-rows.ts";
import { Payer } from "../../support/payer.ts";
import type { KilledMerchant, KilledProvider } from "./killed-provider.ts";

/** What a process does for a merchant of its own, and is killed at. */
export interface Work {
  readonly of: KilledMerchant;
  /** Lets the process do it. Resolves when it is done. */
  readonly act: () => Promise<unknown>;
  /** What the payer or the merchant asks for again after the restart, at once and some minutes later. */
  readonly again?: () => Promise<unknown>;
}

/** Where a process works: it, its provider, and its database. */
export interface Scene {
  readonly provider: KilledProvider;
  readonly process: Doomed;
  readonly rows: DatabaseRows;
}

/** Does all that precedes a work, by the service that outlives the process. */
type Prepare = (scene: Scene) => Promise<Work>;

interface Waiting {
  readonly of: KilledMerchant;
  readonly linkId: string;
  readonly payer: Payer;
}

async function opened({ provider }: Scene): Promise<Waiting> {
  const of = await provider.connect();
  const linkId = await of.newLink(provider.link);
  const payer = new Payer(provider.service, linkId);
  await payer.open();
  return { of, linkId, payer };
}

/** A payment that waits for its payer, or its issuer. */
async function waiting(scene: Scene): Promise<Waiting & { readonly paymentId: string }> {
  const one = await opened(scene);
  const { paymentId } = await one.payer.start(await scene.provider.request(one.of, true));
  return { ...one, paymentId };
}

/** A payment whose money is at the provider. */
async function charged(scene: Scene): Promise<Awaited<ReturnType<typeof waiting>>> {
  const one = await waiting(scene);
  scene.provider.pays(one.of, await shownTo(one.payer));
  return one;
}

/** Returns the address or the code that a payer has. */
async function shownTo(payer: Payer): Promise<string | undefined> {
  const { payment } = await payer.session();
  return payment?.challengeUrl ?? payment?.pixCode;
}

async function due({ rows }: Scene, paymentId: string, more = ""): Promise<void> {
  await rows.run(`UPDATE live.charge SET check_at = created_at${more} WHERE payment_id = $1`, [paymentId]);
}

/** The payer asks again, and pays where the page leads them. A payment that is decided stays. */
function asksAgain(
  { provider }: Scene,
  { of, payer }: Waiting,
  changes: { readonly installments?: number } = {},
): () => Promise<void> {
  return async () => {
    if ((await payer.session()).payment?.status === PaymentStatus.SUCCEEDED) return;
    await payer.start({ ...(await provider.request(of)), ...changes }).catch(() => undefined);
    provider.pays(of, await shownTo(payer));
  };
}

/** A payment is started. */
const start: Prepare = async (scene) => {
  const one = await opened(scene);
  const { of, linkId, payer } = one;
  const request = await scene.provider.request(of);
  const act = async (): Promise<void> => await scene.process.begin(linkId, payer.sessionId, request);
  return { of, act, again: asksAgain(scene, one) };
};

/** A payer leaves the provider's page for another number of installments. */
const leave: Prepare = async (scene) => {
  const one = await waiting(scene);
  const { of, linkId, payer } = one;
  const other = { installments: 3 };
  const request = { ...(await scene.provider.request(of)), ...other };
  const act = async (): Promise<void> => await scene.process.begin(linkId, payer.sessionId, request);
  return { of, act, again: asksAgain(scene, one, other) };
};

/** The provider calls back about money. */
const callback: Prepare = async (scene) => {
  const { provider, process } = scene;
  const { of, paymentId } = await charged(scene);
  const [told, proof] = provider.callback(of, paymentId.replace("_", ""));
  const act = async (): Promise<void> => {
    await process.callBack(of, told, proof);
    await process.run("answerCallbacks");
  };
  return { of, act };
};

/** The worker asks about a charge that was paid. */
const check: Prepare = async (scene) => {
  const { of, paymentId } = await charged(scene);
  const act = async (): Promise<void> => {
    await due(scene, paymentId);
    await scene.process.run("checkCharges");
  };
  return { of, act };
};

/** The worker reads a statement with money that it does not know. */
const statement: Prepare = async (scene) => {
  const { of } = await charged(scene);
  const request = { id: of.accountId };
  const act = async () => await scene.process.providers.sweepProviderAccount(request, of.as);
  // What the process was at stays its own for a while.
  let passCount = 0;
  const again = async (): Promise<void> => {
    if (++passCount === 3) await scene.provider.providers.sweepProviderAccount(request, of.as);
  };
  return { of, act, again };
};

/** A payment's time is over, and it is withdrawn. */
const end: Prepare = async (scene) => {
  const { of, paymentId } = await waiting(scene);
  const act = async (): Promise<void> => {
    await due(scene, paymentId, `, ${scene.provider.ending}`);
    await scene.process.run("checkCharges");
  };
  return { of, act };
};

/** A payment that has succeeded, and what asks for its refund. */
async function paid(
  scene: Scene,
): Promise<{ of: KilledMerchant; paymentId: string; key: string; ask: () => Promise<void> }> {
  const { provider } = scene;
  const { of, linkId, payer, paymentId } = await charged(scene);
  const { core, internal } = provider.service;
  await payer.client.refreshPayment({ linkId, sessionId: payer.sessionId }, internal);
  const key = newId("req");
  const client = createClient(RefundsService, core.transport);
  const headers = { ...of.as.headers, "idempotency-key": key };
  const ask = async (): Promise<void> => {
    await client.createRefund({ id: paymentId }, { headers });
    provider.endRefunds(of);
  };
  return { of, paymentId, key, ask };
}

/** The merchant gives a payment's money back, and asks again under the same key. */
const refund: Prepare = async (scene) => {
  const { of, paymentId, key, ask } = await paid(scene);
  return { of, act: async () => await scene.process.refund(of, paymentId, key), again: ask };
};

/** The worker sees that a refund was carried out. */
const refunded: Prepare = async (scene) => {
  const { of, paymentId, ask } = await paid(scene);
  await ask();
  const act = async (): Promise<void> => {
    await scene.rows.run("UPDATE live.refund SET check_at = created_at WHERE payment_id = $1", [paymentId]);
    await scene.process.run("checkRefunds");
  };
  return { of, act };
};

export const WORKS = { start, leave, callback, check, statement, end, refund, refunded };
export type WorkName = keyof typeof WORKS;

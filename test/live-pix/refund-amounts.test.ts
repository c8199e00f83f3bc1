import { beforeEach, describe, expect, test } from "vitest";
import type { Fault } from "../../bank/faults.ts";
import type { Money } from "../../bank/state.ts";
import { forFile } from "../support/for-file.ts";
import { Scene } from "./scene.ts";

const DAY_SECONDS = 86_400;
const HIDDEN_BRIEFLY: Fault = { kind: "refused_yet_made", status: 409, hiddenSeconds: 1 };

let wrongAnswers = 0;
const scene = await forFile(
  Scene.start({
    observer: {
      callEnded: () => undefined,
      attemptEnded: () => undefined,
      providerFailed: ({ kind }) => {
        if (kind === "wrong") wrongAnswers++;
      },
    },
  }),
);
const { bank, service } = scene.live;
const merchant = await scene.merchant();

beforeEach(() => {
  bank.faults.clear();
  bank.callbacks.mode = "prompt";
});

/** Runs, and returns what was reported as wrong answers meanwhile. Each of them is counted. */
async function reportsOf(run: () => Promise<void>): Promise<unknown[]> {
  service.faults.length = 0;
  scene.faults.length = 0;
  wrongAnswers = 0;
  await run();
  expect(scene.faults).toHaveLength(wrongAnswers);
  return scene.faults;
}

/** A payment of R$ 159.90 with its money at the bank. */
async function paid(): Promise<{ id: string; money: Money; reference: string }> {
  const { paymentId: id, reference } = await merchant.start();
  const money = bank.pay(reference, 15_990n);
  await scene.pass(60);
  return { id, money, reference };
}
const refund = async (id: string, body: object = {}) =>
  await merchant.api.post(`/v1/payments/${id}/refunds`, body);
const refundsOf = async (id: string): Promise<string[]> => {
  const { body } = await merchant.api.get(`/v1/payments/${id}/refunds`);
  return (body.data as { amount: number; status: string }[]).map(
    ({ amount, status }) => `${amount} ${status}`,
  );
};
const refunded = async (id: string): Promise<unknown> =>
  (await merchant.api.get(`/v1/payments/${id}`)).body.refunded_amount;
/** Lets the bank's statements be read until each return is seen. */
const sweep = async (): Promise<void> => {
  for (let day = 0; day < 2; day++) await scene.pass(DAY_SECONDS, ["sweepProviders"]);
};
/** Refunds as REST, books, events and the bank have them, after everything was told again. */
async function expectEverywhere(
  { id, money }: { id: string; money: Money },
  { minor, refunds, events }: { minor: number; refunds: string[]; events: string[] },
): Promise<void> {
  await sweep();
  expect(await refundsOf(id)).toEqual(refunds);
  expect(await refunded(id)).toBe(minor === 0 ? undefined : minor);
  const outcome = await scene.outcome(merchant, id);
  const made = refunds.filter((one) => one.endsWith("succeeded"));
  expect(outcome).toMatchObject({
    status: "succeeded",
    entries: ["payment", ...made.map(() => "refund")],
    events: ["payment.succeeded", ...events],
  });
  const left = money.returns.filter(({ status }) => status === "DEVOLVIDO");
  expect(left.reduce((sum, { amountMinor }) => sum + Number(amountMinor), 0)).toBe(minor);
  expect(await scene.problems()).toEqual([]);
}

describe("a refund that the bank has with another amount", () => {
  /** Makes the bank tell another amount of a return. */
  const tell = ({ returns }: Money, amountMinor: bigint): void => {
    returns.splice(0, 1, ...returns.slice(0, 1).map((one) => ({ ...one, amountMinor })));
  };

  test.each([
    ["found by its id", "lost", ["checkRefunds"]],
    ["told by the statement", "lost", ["sweepProviders"]],
    ["found after a refusal", "refused", ["checkRefunds"]],
  ] as const)("%s stays open, and is a wrong answer", async (_, way, tasks) => {
    const payment = await paid();
    const { id, money } = payment;
    bank.callbacks.mode = "lost";
    bank.fail("return", way === "lost" ? { kind: "lost" } : HIDDEN_BRIEFLY);
    const { body } = await refund(id, { amount: 4000 });
    tell(money, 1000n);
    const reports = await reportsOf(async () => {
      for (let day = 0; day < 2; day++) await scene.pass(DAY_SECONDS, tasks);
    });
    expect(reports).toContainEqual(expect.objectContaining({ payment_id: id, refund_id: body.id }));
    expect(await refundsOf(id)).toEqual([`4000 ${body.status}`]);
    expect(await refunded(id)).toBeUndefined();
    tell(money, 4000n);
    await scene.pass(DAY_SECONDS);
    await expectEverywhere(payment, {
      minor: 4000,
      refunds: ["4000 succeeded"],
      events: ["refund.succeeded"],
    });
  });
});

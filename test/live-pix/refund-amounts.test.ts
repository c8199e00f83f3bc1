import { describe, expect, test } from "vitest";
import type { Money } from "../../tools/bank/state.ts";
import { HIDDEN_BRIEFLY, startRefunds } from "./refund-scene.ts";

const DAY_SECONDS = 86_400;

const { scene, bank, merchant, reportsOf, paid, refund, refundsOf } = await startRefunds();
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

import { lookup } from "node:dns";
import { beforeEach, describe, expect, test } from "vitest";
import { newId } from "../../contract/ids.ts";
import { AsaasClient } from "../../src/providers/asaas/client.ts";
import { AsaasStatement } from "../../src/providers/asaas/statement.ts";
import { all, faultOf } from "../api-pix/connected.ts";
import { forFile } from "../support/for-file.ts";
import { calledAsaas, LIVE_KEY } from "../support-checks/asaas-called.ts";

const called = await forFile(calledAsaas({ key: LIVE_KEY }));
const { asaas } = called;
const client = await forFile(
  Promise.resolve(
    new AsaasClient(
      { id: "pac_1", apiKey: LIVE_KEY, page: "invoice", baseUrl: asaas.baseUrl },
      {
        clock: { nowMs: () => asaas.clock.nowMs() },
        guard: { check: (address) => new URL(address), lookup },
        limits: { connectMs: 2000, answerMs: 5000 },
      },
    ),
  ),
);
const setAside: number[] = [];
const statement = new AsaasStatement(client, "CREDIT_CARD", (count) => setAside.push(count));
const DAY_SECONDS = 86_400;
const newReference = () => newId("pay").replace("_", "");

/** Each test has days of its own. */
beforeEach(() => {
  asaas.faults.clear();
  setAside.length = 0;
  asaas.clock.advance(500 * DAY_SECONDS);
});

/** Returns the period of some seconds around now. */
const around = (seconds = 60) => ({
  from: new Date(asaas.clock.nowMs() - seconds * 1000),
  to: new Date(asaas.clock.nowMs() + 1000),
});
const idsOf = (found: readonly { providerPaymentId: string }[]) =>
  found.map(({ providerPaymentId }) => providerPaymentId).toSorted();

/** Makes a charge now, and pays it. Returns its id. */
async function paid(given: object = {}): Promise<string> {
  const dueDate = asaas.clock.now().toISOString().slice(0, 10);
  const terms = { value: 100, dueDate, externalReference: newReference(), ...given };
  const { body } = await called.charge(terms);
  asaas.pay(body.id);
  return body.installment ?? body.id;
}
const plan = (installmentCount: number, totalValue = 350) => ({
  installmentCount,
  totalValue,
  value: undefined,
});

describe("a statement of cards at Asaas", () => {
  test("has whole plans by their sum, and single payments", async () => {
    const reference = newReference();
    const ids = [await paid({ ...plan(3, 100.01), externalReference: reference }), await paid()];
    const found = await all(statement.received(around()));
    expect(idsOf(found)).toEqual(ids.toSorted());
    expect(found.find((money) => money.reference === reference)).toMatchObject({
      amountMinor: 10_001n,
      returns: [],
    });
  });

  test("has neither what is open, confirmed in part, nor the merchant's other payments", async () => {
    const dueDate = asaas.clock.now().toISOString().slice(0, 10);
    for (const confirmed of [0, 2]) {
      const { body } = await called.charge({ ...plan(3), dueDate, externalReference: newReference() });
      asaas.pay(body.id, { confirmed });
    }
    for (const externalReference of [undefined, "order-77", "pay77", `${newReference()}0`]) {
      await paid({ externalReference });
    }
    expect(await all(statement.received(around()))).toEqual([]);
  });

  test("has what was made up to 30 days before it was paid", async () => {
    const dueDate = asaas.clock.now().toISOString().slice(0, 10);
    const { body } = await called.charge({ value: 100, dueDate, externalReference: newReference() });
    asaas.clock.advance(30 * DAY_SECONDS);
    expect(await all(statement.received(around()))).toEqual([]);
    asaas.pay(body.id);
    expect(idsOf(await all(statement.received(around())))).toEqual([body.id]);
    asaas.clock.advance(DAY_SECONDS);
    expect(await all(statement.received(around()))).toEqual([]);
  });

  test("of returns has each day in one part, with refunds and chargebacks of any later day", async () => {
    const refunded = await paid(plan(2));
    const disputed = await paid();
    await paid();
    const [from, middle] = [asaas.clock.nowMs() - 90_000_000, asaas.clock.nowMs()];
    asaas.clock.advance(300 * DAY_SECONDS);
    await called.call("POST", `/installments/${refunded}/refund`, { value: 10, description: "loja" });
    asaas.chargeback(disputed);
    const to = asaas.clock.nowMs();
    const parts = [
      { from: new Date(from), to: new Date(middle - 1) },
      { from: new Date(middle), to: new Date(to) },
    ];
    const found = [];
    for (const part of parts) found.push(...(await all(statement.returned(part))));
    expect(idsOf(found)).toEqual([refunded, disputed].toSorted());
    const amounts = found.flatMap(({ returns }) => returns.map(({ amountMinor }) => amountMinor));
    expect(new Set(amounts)).toEqual(new Set([1000n, 10_000n]));
    const noon = new Date(middle);
    expect(await all(statement.returned({ from: noon, to: new Date(middle + 1000) }))).toEqual([]);
  });

  test("with more rows than are read at once is read in halves, without a gap", async () => {
    const ids: string[] = [];
    for (let day = 0; day < 3; day++) {
      for (let count = 0; count < 17; count++) ids.push(await paid(plan(21, 2100)));
      asaas.clock.advance(DAY_SECONDS);
    }
    const from = new Date(asaas.clock.nowMs() - 4 * DAY_SECONDS * 1000);
    const before = asaas.requests.length;
    const found = await all(statement.received({ from, to: asaas.clock.now() }));
    expect(idsOf(found)).toEqual(ids.toSorted());
    expect(found.every(({ amountMinor }) => amountMinor === 210_000n)).toBe(true);
    expect(asaas.requests.length - before).toBeLessThan(40);
  });

  test("whose pages shift while they are read is read again", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 6; count++) ids.push(await paid(plan(20, 2000)));
    const gone = ids.at(-1) ?? "";
    const act = (): void => asaas.plan(gone).payments.forEach((payment) => (payment.isDeleted = true));
    asaas.fail("listPayments", { kind: "after", act });
    expect(idsOf(await all(statement.received(around())))).toEqual(ids.slice(0, -1).toSorted());
  });

  test("sets a reference aside of which a row cannot be read, and has the others", async () => {
    const [bad, good] = [await paid(plan(2)), await paid()];
    Object.assign(asaas.plan(bad).payments[1] ?? {}, { status: "SOMETHING_NEW" });
    expect(idsOf(await all(statement.received(around())))).toEqual([good]);
    expect(setAside).toEqual([1]);
  });

  test.each([
    ["too many rows of one day", { totalCount: 50_001, hasMore: true, data: [{}] }, "statement_too_large"],
    ["no list", { data: {} }, "unreadable"],
    ["more than 2 MiB", { data: [{ description: "x".repeat(2 * 1024 * 1024) }] }, "answer_too_large"],
  ])("with %s is not taken", async (_name, body, code) => {
    asaas.fail("listPayments", { kind: "text", status: 200, text: JSON.stringify(body) }, 99);
    const { from } = around();
    expect(
      await faultOf(all(statement.returned({ from: new Date(from.getTime() - 1e8), to: from }))),
    ).toEqual({
      kind: "unknown",
      code,
    });
  });

  test.each([
    { kind: "html", status: 200 },
    { kind: "empty", status: 200 },
    { kind: "status", status: 503 },
    { kind: "status", status: 404 },
  ] as const)("is not taken as empty after %o", async (fault) => {
    asaas.fail("listPayments", fault);
    expect((await faultOf(all(statement.received(around())))).kind).toBe("unknown");
  });

  test("says how long to wait when its provider has too many calls", async () => {
    asaas.fail("listPayments", { kind: "busy", retryAfter: "77" });
    const asked = all(statement.received(around()));
    await expect(asked).rejects.toMatchObject({ kind: "busy", retryAfterSeconds: 77 });
  });
});

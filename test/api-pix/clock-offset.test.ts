import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { accountAt, all, chargeRequest, connected, NOW, testBank } from "./connected.ts";

const made = await testBank();
const { bank } = made;
afterAll(async () => await bank.stop());
beforeEach(() => {
  bank.timeForm = "local_zulu";
  bank.clock.set(NOW);
});

const HOURS = 3 * 3600;
const adapter = (clockOffset?: string) =>
  connected(made, { ...accountAt(made), ...(clockOffset === undefined ? {} : { clockOffset }) });

describe("a bank that labels São Paulo's time as UTC", () => {
  test("input 16: is told of at the first charge, and right with the account's offset", async () => {
    const { provider, clockGaps } = adapter();
    for (let count = 0; count < 3; count++) await provider.createCharge(chargeRequest());
    expect(clockGaps).toEqual([-HOURS]);
    const right = adapter("-03:00");
    await right.provider.createCharge(chargeRequest());
    expect(right.clockGaps).toEqual([]);
  });

  test("has money at its own time with the account's offset alone", async () => {
    const { provider } = adapter("-03:00");
    const { reference } = chargeRequest();
    await provider.createCharge(chargeRequest({ reference }));
    bank.pay(reference, 15_990n);
    expect((await adapter().provider.find(reference)).receipts).not.toMatchObject([{ paidAt: NOW }]);
    expect((await provider.find(reference)).receipts).toMatchObject([{ paidAt: NOW }]);
  });

  test.each([
    { form: "local_zulu", day: "2026-11-21" },
    { form: "zulu", day: "2026-11-22" },
  ] as const)(
    "is asked for statements in a form that has one meaning, also if its requests are read as $form",
    async ({ form, day }) => {
      bank.timeForm = form;
      const at = new Date(`${day}T15:00:00Z`);
      const { endToEndId } = bank.payKey(1n, { at });
      const money = await all(adapter("-03:00").provider.received({ from: at, to: at }));
      expect(money.map(({ providerPaymentId }) => providerPaymentId)).toEqual([endToEndId]);
      const { query } = bank.requests.findLast(({ call }) => call === "statement") ?? { query: {} };
      expect(query).toMatchObject({ inicio: `${day}T12:00:00.000-03:00` });
    },
  );
});

test.each(["zulu", "offset", "seconds", "local"] as const)(
  "a bank whose times are right in the form %s is told of nothing",
  async (form) => {
    bank.timeForm = form;
    for (const offset of [undefined, "-03:00"]) {
      const { provider, clockGaps } = adapter(form === "offset" || form === "local" ? offset : undefined);
      await provider.createCharge(chargeRequest());
      expect(clockGaps).toEqual([]);
    }
  },
);

test.each([{}, { criacao: "yesterday" }, { criacao: null }])(
  "a charge with the times %o is made all the same",
  async (calendario) => {
    const { provider, clockGaps } = adapter();
    const { reference, ...request } = chargeRequest();
    const valor = { original: "159.90" };
    const body = { calendario, txid: reference, status: "ATIVA", valor, location: "pix.example.com/1" };
    bank.fail("createCharge", { kind: "text", status: 201, text: JSON.stringify(body) });
    expect(await provider.createCharge({ ...request, reference })).toMatchObject({ location: body.location });
    expect(clockGaps).toEqual([]);
  },
);

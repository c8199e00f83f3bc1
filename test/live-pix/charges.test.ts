import { describe, expect, test } from "vitest";
import type { CallName, ChargeAlteration, Fault } from "../../tools/bank/faults.ts";
import { SCOPES } from "../../tools/bank/state.ts";
import { forFile } from "../support/for-file.ts";
import { PAID_ONCE } from "./outcome.ts";
import { Scene } from "./scene.ts";

const scene = await forFile(Scene.start());
const { bank } = scene.live;
const merchant = await scene.merchant();

const codeOf = async (payer: Awaited<ReturnType<typeof merchant.start>>["payer"]) =>
  (await payer.session()).payment?.pixCode;
const count = (call: CallName, from: number): number =>
  bank.requests.slice(from).filter((request) => request.call === call).length;

describe("case 1: a charge whose first answer did not come", () => {
  test.each<[string, Fault]>([
    ["lost after it was stored", { kind: "lost" }],
    ["never given after it was stored", { kind: "silent" }],
    ["a page of HTML after it was stored", { kind: "html", status: 502 }],
    ["cut before it was stored", { kind: "cut" }],
    ["a 503 before it was stored", { kind: "status", status: 503 }],
  ])("case 1: %s, has one charge, one txid and one code", async (_, fault) => {
    const before = bank.account().charges.size;
    bank.fail("createCharge", fault);
    const { paymentId, reference, payer } = await merchant.start();
    expect(await codeOf(payer)).toBeUndefined();
    await scene.pass(2);
    const code = await codeOf(payer);
    expect(code).toContain(bank.charge(reference).location);
    await scene.pass(60);
    expect(await codeOf(payer)).toBe(code);
    expect(bank.account().charges.size).toBe(before + 1);
    expect(bank.charge(reference).revisions).toHaveLength(1);
    bank.pay(reference, 15_990n);
    await scene.pass(60);
    expect(await scene.outcome(merchant, paymentId)).toEqual(PAID_ONCE);
  });
});

describe("case 2: a bank that answers otherwise than it should", () => {
  const faults: Fault[] = [
    { kind: "unauthorized" },
    { kind: "status", status: 500 },
    { kind: "status", status: 503 },
    { kind: "hang" },
    { kind: "html", status: 200 },
    { kind: "empty", status: 200 },
    { kind: "empty", status: 204 },
    { kind: "busy", retryAfter: "5" },
    { kind: "lost" },
  ];
  test("case 2: fails no payment in any of its ways, and asks for one token at a time", async () => {
    const started = await Promise.all(faults.map(async () => await merchant.start()));
    for (const [index, fault] of faults.entries()) {
      bank.pay(started[index]?.reference ?? "", 15_990n);
      bank.fail("readCharge", fault, 2);
    }
    const from = bank.requests.length;
    await scene.pass(60, ["checkCharges"]);
    for (const { paymentId } of started) {
      expect(["pending", "succeeded"]).toContain(await merchant.status(paymentId));
    }
    expect(count("token", from)).toBeLessThanOrEqual(2);
    bank.faults.clear();
    await scene.pass(60);
    await scene.pass(60);
    for (const { paymentId } of started) expect(await scene.outcome(merchant, paymentId)).toEqual(PAID_ONCE);
  });

  test("case 2: a token that ends midway is replaced once for all", async () => {
    const started = await Promise.all(Array.from({ length: 4 }, async () => await merchant.start()));
    for (const { reference } of started) bank.pay(reference, 15_990n);
    bank.tokens.revoke();
    const from = bank.requests.length;
    await scene.pass(60, ["checkCharges"]);
    expect(count("token", from)).toBe(1);
    for (const { paymentId } of started) expect(await scene.outcome(merchant, paymentId)).toEqual(PAID_ONCE);
  });

  test("case 2: scopes that were narrowed leave the payment without a code until they are back", async () => {
    bank.grant(["cob.read", "pix.read"]);
    bank.tokens.revoke();
    const { paymentId, reference, payer } = await merchant.start();
    await scene.pass(2);
    expect([await codeOf(payer), await merchant.status(paymentId)]).toEqual([undefined, "pending"]);
    bank.grant(SCOPES);
    bank.tokens.revoke();
    await scene.pass(60);
    expect(await codeOf(payer)).toContain(bank.charge(reference).location);
  });
});

describe("case 12: the code of a charge", () => {
  test.each<ChargeAlteration>([
    "wrong_crc",
    "wrong_amount_in_code",
    "wrong_location_in_code",
    "other_txid",
    "other_key",
    "other_amount",
  ])(
    "case 12: with %s is never shown, is reported, and its payment ends at its expiry",
    async (alteration) => {
      const wrong: Fault = { kind: "charge", alteration };
      bank.fail("createCharge", wrong);
      bank.fail("readCharge", wrong, 100);
      scene.faults.length = 0;
      const { paymentId, payer } = await merchant.start();
      for (const seconds of [2, 5, 60, 800]) {
        await scene.pass(seconds);
        expect(await codeOf(payer)).toBeUndefined();
      }
      expect(JSON.stringify(scene.faults.map(textsOf))).toMatch(/wrong_(code|charge)/);
      await scene.pass(100);
      bank.faults.clear();
      expect(await scene.outcome(merchant, paymentId)).toMatchObject({ status: "expired", money: 0 });
    },
  );

  test.each<ChargeAlteration>(["no_code", "no_location", "no_amount_in_code"])(
    "case 12: with %s is shown, and leads to its location",
    async (alteration) => {
      bank.fail("createCharge", { kind: "charge", alteration });
      const { reference, payer } = await merchant.start();
      expect(await codeOf(payer)).toContain(bank.charge(reference).location);
    },
  );
});

/** Codes of a fault and of those that it holds. */
function textsOf(fault: unknown): string[] {
  const { err, code, errors = [] } = fault as { err?: unknown; code?: string; errors?: unknown[] };
  return [...(code === undefined ? [] : [code]), ...(err ? textsOf(err) : []), ...errors.flatMap(textsOf)];
}

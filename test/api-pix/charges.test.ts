import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { ChargeAlteration, Fault } from "../../tools/bank/faults.ts";
import { checkedCode } from "../../src/providers/pix-code.ts";
import { amountOfBrCode } from "../../src/providers/br-code.ts";
import {
  accountAt,
  chargeRequest,
  connected,
  faultOf,
  KEY,
  locationReadElsewhere,
  movedProfile,
  testBank,
} from "./connected.ts";

const made = await testBank();
afterAll(async () => await made.bank.stop());
beforeEach(() => made.bank.faults.clear());

const adapter = (answerMs?: number) =>
  connected(made, accountAt(made), answerMs === undefined ? {} : { answerMs }).provider;

describe("a new charge", () => {
  test("is asked for in the words of the API Pix, and its code passes both checks", async () => {
    const request = chargeRequest();
    const code = checkedCode(await adapter().createCharge(request), request);
    const put = made.bank.requests.findLast(({ call }) => call === "createCharge");
    expect(JSON.parse(put?.text ?? "")).toEqual({
      calendario: { expiracao: 900 },
      valor: { original: "159.90" },
      chave: KEY,
      solicitacaoPagador: "Pedido 42",
    });
    expect(locationReadElsewhere(code)).toBe(made.bank.charge(request.reference).location);
    expect(amountOfBrCode(code)).toBe(15_990n);
  });

  test("has a text of 140 whole characters at most", async () => {
    const request = chargeRequest({ description: "😀".repeat(150) });
    await adapter().createCharge(request);
    const rest = made.bank.charge(request.reference).revisions[0]?.terms.rest;
    expect(rest?.["solicitacaoPagador"]).toBe("😀".repeat(140));
  });

  test.each([1n, 99n, 100n, 105n, 999_999_999_999n])(
    "of %s centavos is asked for to the centavo",
    async (amountMinor) => {
      const request = chargeRequest({ amountMinor });
      await adapter().createCharge(request);
      expect(made.bank.charge(request.reference).revisions[0]?.terms.amountMinor).toBe(amountMinor);
    },
  );

  test("takes a code from its location where the bank gives none", async () => {
    made.bank.fail("createCharge", { kind: "charge", alteration: "no_code" });
    const request = chargeRequest();
    const answer = await adapter().createCharge(request);
    expect(answer.code).toBeNull();
    expect(locationReadElsewhere(checkedCode(answer, request))).toBe(
      made.bank.charge(request.reference).location,
    );
  });

  test.each<[ChargeAlteration, string]>([
    ["brcode", "sicoob"],
    ["textoImagemQRcode", "bb"],
  ])("case 12: reads the code's other name %s with the profile %s", async (alteration, name) => {
    made.bank.fail("createCharge", { kind: "charge", alteration });
    const account = {
      ...accountAt(made),
      profile: { ...movedProfile(name), tokenStyle: "basic_form" as const },
    };
    const request = chargeRequest();
    const answer = await connected(made, account).provider.createCharge(request);
    expect(answer.code).not.toBeNull();
    expect(checkedCode(answer, request)).toBe(answer.code);
  });

  test("has its bank's code though the answer has no location", async () => {
    made.bank.fail("createCharge", { kind: "charge", alteration: "no_location" });
    const request = chargeRequest();
    const answer = await adapter().createCharge(request);
    expect(answer.location).toBeNull();
    expect(checkedCode(answer, request)).toBe(answer.code);
    expect(locationReadElsewhere(answer.code ?? "")).toBe(made.bank.charge(request.reference).location);
  });

  test("is not known if its answer has neither code nor location", async () => {
    made.bank.fail("createCharge", { kind: "charge", alteration: "no_code_or_location" });
    const failed = await faultOf(adapter().createCharge(chargeRequest()));
    expect(failed).toEqual({ kind: "unknown", code: "unreadable" });
  });

  test.each<ChargeAlteration>(["no_amount_in_code", "nulls", "number_amounts"])(
    "is accepted from a bank whose answer has %s",
    async (alteration) => {
      made.bank.fail("createCharge", { kind: "charge", alteration });
      const request = chargeRequest();
      expect(checkedCode(await adapter().createCharge(request), request)).toMatch(/^000201/);
    },
  );

  test.each<ChargeAlteration>(["other_txid", "other_key", "other_amount"])(
    "is not shown if the answer has %s",
    async (alteration) => {
      made.bank.fail("createCharge", { kind: "charge", alteration });
      const failed = await faultOf(adapter().createCharge(chargeRequest()));
      expect(failed).toEqual({ kind: "unknown", code: "wrong_charge" });
    },
  );

  test("has a code that is not shown if it is longer than a QR code may be", async () => {
    const request = chargeRequest();
    const answer = await adapter().createCharge(request);
    const code = `${answer.code}${"0".repeat(513)}`;
    expect(() => checkedCode({ ...answer, code }, request)).toThrow("is too long");
  });

  test.each<ChargeAlteration>(["wrong_crc", "wrong_amount_in_code", "wrong_location_in_code"])(
    "has a code that is not shown with %s",
    async (alteration) => {
      made.bank.fail("createCharge", { kind: "charge", alteration });
      const request = chargeRequest();
      const answer = await adapter().createCharge(request);
      expect(() => checkedCode(answer, request)).toThrow(/the provider's code/);
    },
  );
});

describe("a charge whose first answer was lost", () => {
  const lost: [string, Fault][] = [
    ["a cut connection", { kind: "lost" }],
    ["an HTML page", { kind: "html", status: 200 }],
    ["a 5xx after it was stored", { kind: "html", status: 502 }],
  ];
  test.each(lost)("by %s is found by its reference, in one revision", async (_, fault) => {
    made.bank.fail("createCharge", fault);
    const request = chargeRequest();
    expect((await faultOf(adapter().createCharge(request))).kind).toBe("unknown");
    const answer = await adapter().createCharge({ ...request, isRepeated: true });
    expect(answer.location).toBe(made.bank.charge(request.reference).location);
    expect(made.bank.charge(request.reference).revisions).toHaveLength(1);
  });

  test.each<[string, Fault]>([
    ["a cut connection", { kind: "cut" }],
    ["a 503", { kind: "status", status: 503 }],
    ["a 500", { kind: "status", status: 500 }],
  ])("by %s before it was stored is made by the next request", async (_, fault) => {
    made.bank.fail("createCharge", fault);
    const request = chargeRequest();
    expect((await faultOf(adapter().createCharge(request))).kind).toBe("unknown");
    await adapter().createCharge({ ...request, isRepeated: true });
    expect(made.bank.charge(request.reference).status).toBe("ATIVA");
  });

  test("by a bank that never answers is an unknown outcome in the adapter's own time", async () => {
    made.bank.fail("createCharge", { kind: "hang" });
    expect((await faultOf(adapter(200).createCharge(chargeRequest()))).kind).toBe("unknown");
  });

  test.each([200, 204] as const)("by a %i without a body is read at once", async (status) => {
    made.bank.fail("createCharge", { kind: "empty", status });
    const request = chargeRequest();
    const answer = await adapter().createCharge(request);
    expect(checkedCode(answer, request)).toBe(answer.code);
  });

  test("is an alarm if the bank has it with another amount", async () => {
    const request = chargeRequest();
    await adapter().createCharge(request);
    const repeated = adapter().createCharge({ ...request, amountMinor: 15_991n, isRepeated: true });
    expect(await faultOf(repeated)).toEqual({ kind: "unknown", code: "wrong_charge" });
  });

  test("keeps its code if it was paid meanwhile", async () => {
    const request = chargeRequest();
    const first = await adapter().createCharge(request);
    made.bank.pay(request.reference, 15_990n);
    expect(await adapter().createCharge(request)).toEqual(first);
    expect(await adapter().createCharge({ ...request, isRepeated: true })).toEqual(first);
  });
});

describe("a charge that is not there any more", () => {
  test("is refused as removed, with both requests", async () => {
    const request = chargeRequest();
    await adapter().createCharge(request);
    made.bank.remove(request.reference);
    const removed = { kind: "refused", code: "removed" };
    expect(await faultOf(adapter().createCharge(request))).toEqual(removed);
    expect(await faultOf(adapter().createCharge({ ...request, isRepeated: true }))).toEqual(removed);
    expect((await adapter().find(request.reference)).status).toBe("removed");
  });

  test("is refused by the bank's own name if it breaks a rule", async () => {
    const request = chargeRequest({ amountMinor: 0n });
    expect(await faultOf(adapter().createCharge(request))).toEqual({
      kind: "refused",
      code: "CobOperacaoInvalida",
    });
  });
});

describe("a withdrawal", () => {
  test("removes an active charge, and can be repeated", async () => {
    const request = chargeRequest();
    await adapter().createCharge(request);
    await adapter().cancel(request.reference);
    await adapter().cancel(request.reference);
    expect(made.bank.charge(request.reference).status).toBe("REMOVIDA_PELO_USUARIO_RECEBEDOR");
    expect((await adapter().find(request.reference)).status).toBe("waiting");
  });

  test("whose answer was lost is carried out once", async () => {
    const request = chargeRequest();
    await adapter().createCharge(request);
    made.bank.fail("changeCharge", { kind: "lost" });
    expect((await faultOf(adapter().cancel(request.reference))).kind).toBe("unknown");
    await adapter().cancel(request.reference);
  });

  test("of a paid charge is refused, and its money is found", async () => {
    const request = chargeRequest();
    await adapter().createCharge(request);
    made.bank.pay(request.reference, 15_990n);
    expect((await faultOf(adapter().cancel(request.reference))).kind).toBe("refused");
    expect((await adapter().find(request.reference)).receipts).toHaveLength(1);
  });
});

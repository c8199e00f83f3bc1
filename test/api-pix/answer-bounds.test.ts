import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import type { CallName } from "../../bank/faults.ts";
import { boundsOfPage, ONE_CHARGE, ONE_RESOURCE } from "../../src/api-pix/answer-bounds.ts";
import { verifyAccount } from "../../src/api-pix/verification.ts";
import { boundedText } from "../../src/platform/bounded-text.ts";
import {
  accountAt,
  all,
  chargeRequest,
  connected,
  faultOf,
  newReference,
  newRefundId,
  NOW,
  profileOf,
  testBank,
} from "./connected.ts";

const made = await testBank();
const { bank } = made;
afterAll(async () => await bank.stop());
afterEach(() => {
  vi.restoreAllMocks();
  bank.faults.clear();
  bank.clock.set(NOW);
});

const TOO_LARGE = { kind: "unknown", code: "answer_too_large" };
const KIB = 1024;
const junk = (bytes: number) => `{"pix":[${"0".repeat(bytes - 10)}]}`;
const objects = (count: number) => `{"pix":[${Array.from({ length: count }, () => "{}").join()}]}`;
/** Returns how many such texts are parsed while `act` runs. */
async function parsedIn(act: () => Promise<unknown>): Promise<number> {
  const parse = vi.spyOn(JSON, "parse");
  await act();
  return parse.mock.calls.filter(([text]) => text.startsWith(`{"pix":[`)).length;
}
const connect = () => connected(made, accountAt(made));
const period = { from: NOW, to: new Date(NOW.getTime() + 30_000) };

const CALLS: readonly [CallName, () => Promise<unknown>][] = [
  ["token", async () => await connect().provider.find(newReference())],
  ["createCharge", async () => await connect().provider.createCharge(chargeRequest())],
  ["readCharge", async () => await connect().provider.find("any00000000000000000000000000")],
  ["return", async () => await connect().provider.refund(refundOf(bank.payKey(100n)))],
  ["readReturn", async () => await connect().provider.findRefund(refundOf(bank.payKey(100n)))],
  ["setWebhook", async () => await verifyAccount(connect().client, bank.clock, "https://pay.example.com/x")],
  ["readWebhook", async () => await verifyAccount(connect().client, bank.clock)],
];

function refundOf({ endToEndId: providerPaymentId }: { endToEndId: string }) {
  return {
    refundId: newRefundId(),
    providerPaymentId,
    amountMinor: 100n,
    reason: null,
    requestedAt: new Date(0),
  };
}

describe.each(CALLS)("an answer to %s", (call, ask) => {
  // One about a charge has its returns.
  const { bytes, elements } = call === "readCharge" ? ONE_CHARGE : { bytes: 64 * KIB, elements: 4000 };
  test.each([
    [`of more than ${bytes / KIB} KiB`, junk(bytes + 1)],
    [`of ${elements} values and more`, objects(elements)],
  ])("%s is a fault, and is not parsed", async (_, text) => {
    bank.fail(call, { kind: "text", status: 200, text }, 10);
    const parsed = await parsedIn(async () => expect(await faultOf(ask())).toEqual(TOO_LARGE));
    expect(parsed).toBe(0);
  });

  test("that refuses at length is a refusal by its status, and is not parsed", async () => {
    bank.fail(call, { kind: "text", status: 403, text: junk(64 * KIB + 1) }, 10);
    const parsed = await parsedIn(async () => expect((await faultOf(ask())).kind).toBe("misconfigured"));
    expect(parsed).toBe(0);
  });
});

describe("a page of a statement", () => {
  const read = async (pageSize: number) => {
    const account = { ...accountAt(made), profile: { ...profileOf("bacen"), pageSize } };
    return await all(connected(made, account).provider.received(period));
  };

  test.each([
    ["more bytes", 10, junk((64 + 10 * 2) * KIB + 1)],
    ["more values", 10, objects(4000 + 10 * 64)],
  ])("of %s than the rows that were asked for need is a fault, and is not parsed", async (_, rows, text) => {
    bank.fail("statement", { kind: "text", status: 200, text }, 100);
    const parsed = await parsedIn(async () => expect(await faultOf(read(rows))).toEqual(TOO_LARGE));
    expect(parsed).toBe(0);
  });

  test("within these bounds is read", async () => {
    const paging = { paginacao: { quantidadeDePaginas: 1, quantidadeTotalDeItens: 0 } };
    const text = JSON.stringify({ parametros: paging, pix: [] }).padEnd(70 * KIB, " ");
    bank.fail("statement", { kind: "text", status: 200, text });
    expect(await read(10)).toEqual([]);
  });

  test("of 1000 rows, each with a return, has room", async () => {
    const row = {
      endToEndId: "E".repeat(32),
      txid: "t".repeat(35),
      valor: "1234567.89",
      chave: "k".repeat(77),
      horario: NOW.toISOString(),
      infoPagador: "i".repeat(140),
      pagador: { cnpj: "0".repeat(14), nome: "n".repeat(100) },
      componentesValor: { original: { valor: "1234567.89" } },
      devolucoes: [
        {
          id: "d".repeat(35),
          rtrId: "D".repeat(32),
          valor: "1.00",
          natureza: "ORIGINAL",
          descricao: "d".repeat(140),
          motivo: "m".repeat(140),
          horario: { solicitacao: NOW.toISOString(), liquidacao: NOW.toISOString() },
          status: "DEVOLVIDO",
        },
      ],
    };
    const text = JSON.stringify({ pix: Array.from({ length: 1000 }, () => row) });
    expect(text.length).toBeLessThan(boundsOfPage(1000).bytes);
    await expect(boundedText(inParts(text), boundsOfPage(1000))).resolves.toBe(text);
  });
});

async function* inParts(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 1000) yield await Promise.resolve(bytes.subarray(at, at + 1000));
}

test("a text of any parts is counted as one", async () => {
  async function* byByte(text: string): AsyncGenerator<Uint8Array> {
    for (const byte of Buffer.from(text)) yield await Promise.resolve(Uint8Array.of(byte));
  }
  // One object and one comma: the others are in texts.
  const text = String.raw`{"a\",\\":"é,[{\"","b":0}`;
  expect(await boundedText(byByte(text), { ...ONE_RESOURCE, elements: 2 })).toBe(text);
  expect(await boundedText(byByte(text), { ...ONE_RESOURCE, elements: 1 })).toBeUndefined();
});

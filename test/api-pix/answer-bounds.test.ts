import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { CallName } from "../../tools/bank/faults.ts";
import { verifyAccount } from "../../src/providers/api-pix/verification.ts";
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
  registrationOf,
} from "./connected.ts";

const made = await testBank();
const { bank } = made;
afterAll(async () => await bank.stop());
afterEach(() => {
  bank.faults.clear();
  bank.clock.set(NOW);
});

const TOO_LARGE = { kind: "unknown", code: "answer_too_large" };
const MIB = 1024 * 1024;
const junk = `{"pix":[${"0".repeat(2 * MIB)}]}`;
const connect = () => connected(made, accountAt(made));
const period = { from: NOW, to: new Date(NOW.getTime() + 30_000) };

const CALLS: readonly [CallName, () => Promise<unknown>][] = [
  ["token", async () => await connect().provider.find(newReference())],
  ["createCharge", async () => await connect().provider.createCharge(chargeRequest())],
  ["readCharge", async () => await connect().provider.find("any00000000000000000000000000")],
  ["return", async () => await connect().provider.refund(refundOf(bank.payKey(100n)))],
  ["readReturn", async () => await connect().provider.findRefund(refundOf(bank.payKey(100n)))],
  [
    "setWebhook",
    async () =>
      await verifyAccount(connect().client, bank.clock, registrationOf("https://pay.example.com/x")),
  ],
  ["readWebhook", async () => await verifyAccount(connect().client, bank.clock, registrationOf())],
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
  test("of more than 2 MiB is a fault", async () => {
    bank.fail(call, { kind: "text", status: 200, text: junk }, 10);
    expect(await faultOf(ask())).toEqual(TOO_LARGE);
  });

  test("that refuses at length is a refusal by its status", async () => {
    bank.fail(call, { kind: "text", status: 403, text: junk }, 10);
    expect((await faultOf(ask())).kind).toBe("misconfigured");
  });
});

describe("a page of a statement", () => {
  const read = async (pageSize: number) => {
    const account = { ...accountAt(made), profile: { ...profileOf("bacen"), pageSize } };
    return await all(connected(made, account).provider.received(period));
  };

  test("of more than 2 MiB is a fault", async () => {
    bank.fail("statement", { kind: "text", status: 200, text: junk }, 100);
    expect(await faultOf(read(10))).toEqual(TOO_LARGE);
  });

  test("of 1000 rows, each with a return, is read", async () => {
    const pix = Array.from({ length: 1000 }, (_, index) => ({
      endToEndId: `E${String(index).padStart(31, "0")}`,
      txid: "t".repeat(35),
      valor: "1234567.89",
      chave: accountAt(made).pixKey,
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
    }));
    const paginacao = { quantidadeDePaginas: 1, quantidadeTotalDeItens: 1000 };
    const text = JSON.stringify({ parametros: { paginacao }, pix });
    bank.fail("statement", { kind: "text", status: 200, text });
    expect(await read(1000)).toHaveLength(1000);
  });
});

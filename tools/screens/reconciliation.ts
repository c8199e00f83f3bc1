import { Leg } from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { Books, ofx, type BankRow } from "../../test/reconciliation/books.ts";
import type { Merchant } from "../../test/support/merchant.ts";
import type { TestService } from "../../test/support/service.ts";

const LONG_TEXT = "TARIFA DE MANUTENÇÃO DE CONTA CORRENTE PESSOA JURÍDICA PACOTE DE SERVIÇOS DIFERENCIADO";

/** Lines of which the bank has less: one of the first day, and one of the second. */
const UNEVEN = [1, 3];

/** What was reconciled in test mode: ids, and a day by what it is. */
export interface Reconciled {
  readonly bankAccountId: string;
  readonly days: Readonly<Record<"differs" | "explained", string>>;
  readonly matchId: string;
}

/** Imports a bank's file of all payments, of which it has one with less and one that no statement has. */
export async function reconciliation(service: TestService, merchant: Merchant): Promise<Reconciled> {
  const books = new Books(service, merchant);
  const bankAccountId = await books.sandboxBank();
  await books.bankAccount({ name: "Conta corrente da filial de Santana de Parnaíba (loja virtual)" });
  await books.work();
  const lines = await books.statementLines();
  const rows = lines.map(({ day, amount, reference }, index): BankRow => {
    const bank = UNEVEN.includes(index) ? amount - 137n : amount;
    return [day, bank, `PIX RECEBIDO ${reference ?? ""}`, `202611-${index}`];
  });
  const [differs = "", explained = ""] = UNEVEN.map((index) => rows[index]?.[0]);
  await books.import(bankAccountId, ofx([...rows, [differs, -8_990n, LONG_TEXT, "202611-tarifa"]]));
  await books.work();
  const fees = [{ kind: "pix", installmentsFrom: 1, installmentsTo: 1, percentPpm: 9_900n, fixed: 0n }];
  await books.client.putContractedFees({ accountId: "sandbox", fees }, books.as);
  const { differences } = await books.day(explained);
  for (const { leg, lines: own } of differences) {
    if (leg !== Leg.BANK) continue;
    const lineKeys = own.map(({ key }) => key);
    const reason = "O banco descontou a tarifa do PIX recebido, como no contrato de abril de 2026";
    await books.client.decide({ leg, lineKeys, reason }, books.as);
  }
  const { matches } = await books.client.listMatches({ limit: 1 }, books.as);
  return { bankAccountId, days: { differs, explained }, matchId: matches[0]?.id ?? "" };
}

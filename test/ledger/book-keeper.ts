import { createClient } from "@connectrpc/connect";
import { enumWords } from "../../contract/enum-words.ts";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import {
  LedgerEntryKindSchema,
  LedgerService,
  type CheckLedgerResponse,
  type LedgerEntry,
} from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { Merchant } from "../support/merchant.ts";
import type { TestService } from "../support/service.ts";

/** "Dr account:CURRENCY minor" of each line, sorted. */
export function written({ lines }: Pick<LedgerEntry, "lines">): string[] {
  const texts = lines.map(({ account, currency, debit, credit }) => {
    const sides = [...(debit === 0n ? [] : [`Dr ${debit}`]), ...(credit === 0n ? [] : [`Cr ${credit}`])];
    return `${account}:${currency} ${sides.join(" ")}`;
  });
  return texts.toSorted();
}

/** The entries of a payment in the merchant's own mode. */
export async function entriesOf({ ledger, as }: Merchant, paymentId: string): Promise<LedgerEntry[]> {
  return (await ledger.listLedgerEntries({ paymentId }, as)).entries;
}

export async function kindsOf(merchant: Merchant, paymentId: string): Promise<string[]> {
  const entries = await entriesOf(merchant, paymentId);
  return entries.map(({ kind }) => enumWords(LedgerEntryKindSchema).wordOf.get(kind) ?? "");
}

/** The trial balance as "account:CURRENCY" to its debits and credits, in the order answered. */
export async function balancesOf(
  { ledger, as }: Pick<Merchant, "ledger" | "as">,
  currency?: "BRL" | "USD",
): Promise<Record<string, [debit: bigint, credit: bigint]>> {
  const { balances } = await ledger.getTrialBalance(currency === undefined ? {} : { currency }, as);
  return Object.fromEntries(
    balances.map(({ account, currency: of, debit, credit }) => [`${account}:${of}`, [debit, credit]]),
  );
}

export async function checkLedger(
  { core, internal }: TestService,
  mode: Mode = Mode.TEST,
): Promise<CheckLedgerResponse> {
  return await createClient(LedgerService, core.transport).checkLedger({ mode }, internal);
}

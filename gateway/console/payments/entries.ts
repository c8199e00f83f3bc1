import { LedgerEntryKind, type LedgerEntry } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { card, time } from "../parts/show.ts";
import { rowTable } from "../parts/table.ts";
import type { Guest, Visit } from "../visit.ts";
import { messagesIn, type MessageKey } from "./messages.ts";

const WORDS: ReadonlyMap<string, MessageKey> = new Map<string, MessageKey>([
  ["provider_clearing", "account_provider_clearing"],
  ["merchant_payable", "account_merchant_payable"],
  ["merchant_available", "account_merchant_available"],
  ["revenue.service", "account_revenue_service"],
  ["revenue.installment", "account_revenue_installment"],
  ["tax_payable.iof", "account_tax_payable_iof"],
  ["fx_position", "account_fx_position"],
  ["provider_receivable", "account_provider_receivable"],
  ["provider_balance", "account_provider_balance"],
  ["provider_fee", "account_provider_fee"],
  ["provider_fee.anticipation", "account_provider_fee_anticipation"],
]);

const ENTRIES: Readonly<Record<LedgerEntryKind, MessageKey>> = {
  [LedgerEntryKind.UNSPECIFIED]: "entry_payment",
  [LedgerEntryKind.PAYMENT]: "entry_payment",
  [LedgerEntryKind.SETTLEMENT]: "entry_settlement",
  [LedgerEntryKind.REFUND]: "entry_refund",
  [LedgerEntryKind.RETURN]: "entry_return",
  [LedgerEntryKind.RETURN_REVERSAL]: "entry_return_reversal",
  [LedgerEntryKind.RECEIVABLE]: "entry_receivable",
  [LedgerEntryKind.PROVIDER_FEE]: "entry_provider_fee",
  [LedgerEntryKind.ANTICIPATION]: "entry_anticipation",
  [LedgerEntryKind.PAYOUT]: "entry_payout",
  [LedgerEntryKind.CHARGEBACK]: "entry_chargeback",
  [LedgerEntryKind.REFUND_DEDUCTION]: "entry_refund_deduction",
};

// A payment in 21 installments has some 90 lines of the provider's: they are shown on request.
const OF_PRICE: ReadonlySet<LedgerEntryKind> = new Set([
  LedgerEntryKind.PAYMENT,
  LedgerEntryKind.SETTLEMENT,
  LedgerEntryKind.REFUND,
  LedgerEntryKind.RETURN,
]);

/** Returns the ledger entries of a payment, line by line, and those of its card provider apart. */
export function entriesCard(visit: Visit, entries: readonly LedgerEntry[]): Html {
  const t = messagesIn(visit.language);
  const [own, others] = [
    entries.filter(({ kind }) => OF_PRICE.has(kind)),
    entries.filter(({ kind }) => !OF_PRICE.has(kind)),
  ];
  return card(
    t("entries"),
    html`${entriesTable(visit, own, t("entries"))}
    ${
      others.length === 0
        ? ""
        : html`<details>
            <summary>${t("entries_of_provider")}</summary>
            ${entriesTable(visit, others, t("entries_of_provider"))}
          </details>`
    }`,
  );
}

function entriesTable(visit: Visit, entries: readonly LedgerEntry[], caption: string): Html {
  const t = messagesIn(visit.language);
  const side = (amount: bigint, currency: string): string =>
    amount === 0n ? "" : visit.format.money(amount, currency);
  return rowTable(t, {
    caption,
    rows: entries.flatMap(({ lines, ...entry }) => lines.map((line) => ({ entry, line }))),
    columns: {
      account: ({ line }) => accountText(visit, line.account),
      entry: ({ entry }) => t(ENTRIES[entry.kind] ?? "entry_payment"),
      event_time: ({ entry }) => time(visit, entry.bookedAt),
      debit: ({ line }) => side(line.debit, line.currency),
      credit: ({ line }) => side(line.credit, line.currency),
    },
    numbers: ["debit", "credit"],
    empty: html`<p>${t("entries_none")}</p>`,
  });
}

/** Returns a ledger account in words, with its name in the API and the command line. */
function accountText({ language }: Guest, account: string): Html {
  const word = WORDS.get(account);
  const code = html`<code>${account}</code>`;
  return word === undefined ? code : html`${messagesIn(language)(word)} <small class="quiet">${code}</small>`;
}

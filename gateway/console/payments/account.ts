import { html, type Html } from "../../pages/html.ts";
import type { Guest } from "../visit.ts";
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

/** Returns a ledger account in words, with its name in the API and the command line. */
export function accountText({ language }: Guest, account: string): Html {
  const word = WORDS.get(account);
  const code = html`<code>${account}</code>`;
  return word === undefined ? code : html`${messagesIn(language)(word)} <small class="quiet">${code}</small>`;
}

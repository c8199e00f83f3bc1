import { html } from "hono/html";
import type { Quote, QuoteDetails } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { Html } from "../../pages/html.ts";
import { table } from "../parts/table.ts";
import { installmentsText } from "../prices/way.ts";
import type { Visit } from "../visit.ts";
import type { Say } from "./words.ts";

type Line = readonly [name: Html | string, amount: Html | string];

/** The stored price line by line, each a column of its row. */
export function statement(visit: Visit, say: Say, quote: Quote, details: QuoteDetails): Html {
  const { format } = visit;
  const priced = (minor: bigint | undefined): string => format.money(minor ?? 0n, details.pricingCurrency);
  const strong = (text: string): Html => html`<strong>${text}</strong>`;
  const { totalFee, serviceFee, installmentSurcharge, tax } = quote.breakdown ?? {};
  const installments = installmentsText(
    visit,
    quote.installments,
    details.firstInstallment,
    details.otherInstallment,
    quote.payerCurrency,
  );
  const applied = [
    ...(serviceFee?.minApplied ? [say("min_applied")] : []),
    ...(serviceFee?.maxApplied ? [say("max_applied")] : []),
  ];
  const lines: Line[] = [
    [say("asked"), format.money(details.amount, details.currency)],
    [strong(say("payer_total")), strong(format.money(quote.payerTotal, quote.payerCurrency))],
    ...(installments === "" ? [] : [[say("in_installments"), installments] as const]),
    [say("product"), priced(details.productAmount)],
    [say("gross"), priced(details.grossAmount)],
    [say("percent_part"), priced(serviceFee?.percentAmountCents)],
    [say("fixed_part"), priced(serviceFee?.fixedCents)],
    [say("raw_total"), priced(serviceFee?.rawTotalCents)],
    [withNote(say("service_fee"), applied.join(", ")), priced(serviceFee?.finalCents)],
    [say("surcharge"), priced(installmentSurcharge?.amount)],
    [withNote(say("iof"), iofNote(say, tax)), priced(tax?.iofAmountCents)],
    [say("total_fee"), priced(totalFee?.amount)],
    [say("net"), priced(details.netAmount)],
    [strong(say("receiver_net")), strong(format.money(quote.receiverNet, quote.receiverCurrency))],
  ];
  return table({
    caption: say("statement"),
    columns: [{ title: say("line") }, { title: say("amount"), isNumber: true }],
    rows: lines,
    empty: html``,
  });
}

function iofNote(
  say: Say,
  tax: { readonly iofApplicable: boolean; readonly iofEnabled: boolean } | undefined,
): string {
  if (!tax?.iofApplicable) return say("iof_not_applicable");
  return tax.iofEnabled ? "" : say("iof_not_enabled");
}

function withNote(text: string, note: string): Html | string {
  return note === "" ? text : html`${text} <span class="quiet">(${note})</span>`;
}

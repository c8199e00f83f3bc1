import { html } from "hono/html";
import type { Quote, QuoteDetails, Tax } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { Html } from "../../pages/html.ts";
import { table } from "../parts/table.ts";
import { installmentsText } from "../prices/way.ts";
import type { Visit } from "../visit.ts";
import type { Say } from "./words.ts";

type Line = readonly [name: Html | string, amount: Html | string];

/** From the payer's total to what the merchant receives; each line is a column of the stored price. */
export function statement(visit: Visit, say: Say, quote: Quote, details: QuoteDetails): Html {
  const { format } = visit;
  const priced = (minor: bigint | undefined): string => format.money(minor ?? 0n, details.pricingCurrency);
  const { totalFee, serviceFee, installmentSurcharge, tax } = quote.breakdown ?? {};
  const parts = installmentsText(
    visit,
    quote.installments,
    details.firstInstallment,
    details.otherInstallment,
    quote.payerCurrency,
  );
  const installments: Line[] = parts === "" ? [] : [[say("in_installments"), parts]];
  return lines(say, say("statement"), [
    [strong(say("payer_total")), strong(format.money(quote.payerTotal, quote.payerCurrency))],
    ...installments,
    [say("gross"), priced(details.grossAmount)],
    [`− ${say("service_fee")}`, priced(serviceFee?.finalCents)],
    [`− ${say("surcharge")}`, priced(installmentSurcharge?.amount)],
    [withNote(`− ${say("iof")}`, iofNote(say, tax)), priced(tax?.iofAmountCents)],
    [`= ${say("net")}`, priced(details.netAmount)],
    [strong(say("receiver_net")), strong(format.money(quote.receiverNet, quote.receiverCurrency))],
    [html`<span class="quiet">${say("total_fee")}</span>`, priced(totalFee?.amount)],
  ]);
}

/** How the service fee came about. */
export function feeStatement(visit: Visit, say: Say, { breakdown }: Quote, details: QuoteDetails): Html {
  const { serviceFee } = breakdown ?? {};
  const priced = (minor: bigint | undefined): string =>
    visit.format.money(minor ?? 0n, details.pricingCurrency);
  const applied = [
    ...(serviceFee?.minApplied ? [say("min_applied")] : []),
    ...(serviceFee?.maxApplied ? [say("max_applied")] : []),
  ];
  return lines(say, say("fee_statement"), [
    [say("percent_part"), priced(serviceFee?.percentAmountCents)],
    [say("fixed_part"), priced(serviceFee?.fixedCents)],
    [say("raw_total"), priced(serviceFee?.rawTotalCents)],
    [withNote(strong(say("service_fee")), applied.join(", ")), strong(priced(serviceFee?.finalCents))],
  ]);
}

function lines(say: Say, caption: string, rows: readonly Line[]): Html {
  return table({
    caption,
    columns: [{ title: say("line") }, { title: say("amount"), isNumber: true }],
    rows,
    empty: html``,
  });
}

function iofNote(say: Say, tax: Tax | undefined): string {
  if (!tax?.iofApplicable) return say("iof_not_applicable");
  return tax.iofEnabled ? "" : say("iof_not_enabled");
}

function withNote(text: Html | string, note: string): Html | string {
  return note === "" ? text : html`${text} <span class="quiet">(${note})</span>`;
}

function strong(text: string): Html {
  return html`<strong>${text}</strong>`;
}

import type { Quote, QuoteDetails, Tax } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { table } from "../parts/table.ts";
import { installmentsText } from "../prices/payment-option.ts";
import type { Visit } from "../visit.ts";
import type { Translate } from "./messages.ts";

type Line = readonly [name: Html | string, amount: Html | string];

/** Returns the statement from the payer's total to the merchant's net. Each line is a column of the stored price. */
export function statement(visit: Visit, t: Translate, quote: Quote, details: QuoteDetails): Html {
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
  const installments: Line[] = parts === "" ? [] : [[t("in_installments"), parts]];
  return lines(t, t("statement"), [
    [strong(t("payer_total")), strong(format.money(quote.payerTotal, quote.payerCurrency))],
    ...installments,
    [t("gross"), priced(details.grossAmount)],
    [`− ${t("service_fee")}`, priced(serviceFee?.finalCents)],
    [`− ${t("surcharge")}`, priced(installmentSurcharge?.amount)],
    [withNote(`− ${t("iof")}`, iofNote(t, tax)), priced(tax?.iofAmountCents)],
    [`= ${t("net")}`, priced(details.netAmount)],
    [strong(t("receiver_net")), strong(format.money(quote.receiverNet, quote.receiverCurrency))],
    [html`<span class="quiet">${t("total_fee")}</span>`, priced(totalFee?.amount)],
  ]);
}

/** Returns the calculation of the service fee. */
export function feeStatement(visit: Visit, t: Translate, { breakdown }: Quote, details: QuoteDetails): Html {
  const { serviceFee } = breakdown ?? {};
  const priced = (minor: bigint | undefined): string =>
    visit.format.money(minor ?? 0n, details.pricingCurrency);
  const applied = [
    ...(serviceFee?.minApplied ? [t("min_applied")] : []),
    ...(serviceFee?.maxApplied ? [t("max_applied")] : []),
  ];
  return lines(t, t("fee_statement"), [
    [t("percent_part"), priced(serviceFee?.percentAmountCents)],
    [t("fixed_part"), priced(serviceFee?.fixedCents)],
    [t("raw_total"), priced(serviceFee?.rawTotalCents)],
    [withNote(strong(t("service_fee")), applied.join(", ")), strong(priced(serviceFee?.finalCents))],
  ]);
}

function lines(t: Translate, caption: string, rows: readonly Line[]): Html {
  return table({
    caption,
    columns: [{ title: t("line") }, { title: t("amount"), isNumber: true }],
    rows,
    empty: html``,
  });
}

function iofNote(t: Translate, tax: Tax | undefined): string {
  if (!tax?.iofApplicable) return t("iof_not_applicable");
  return tax.iofEnabled ? "" : t("iof_not_enabled");
}

function withNote(text: Html | string, note: string): Html | string {
  return note === "" ? text : html`${text} <span class="quiet">(${note})</span>`;
}

function strong(text: string): Html {
  return html`<strong>${text}</strong>`;
}

import type { GetPaymentBridgeResponse, Receivable } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { card } from "../parts/show.ts";
import { rowTable } from "../parts/table.ts";
import type { Guest } from "../visit.ts";
import { dayText, linesTable } from "./bridge.ts";
import { messagesIn } from "./messages.ts";

/**
 * Returns what the card provider made of a payment, apart from its price: the lines of the books, and each installment
 * with its day. Returns "" before the provider said anything.
 */
export function receivablesCard(
  guest: Guest,
  { providerLines }: GetPaymentBridgeResponse,
  receivables: readonly Receivable[],
): Html | "" {
  if (receivables.length === 0) return "";
  const t = messagesIn(guest.language);
  const money = (amount: bigint): string => (amount === 0n ? "—" : guest.format.money(amount, "BRL"));
  const day = (text: string | undefined): string => (text === undefined ? "—" : dayText(guest, text));
  return card(
    t("receivables"),
    html`<p class="quiet">${t("receivables_help")}</p>
      ${linesTable(guest, providerLines, "receivables_caption", false)}
      <h3>${t("receivables_installments")}</h3>
      ${rowTable(t, {
        caption: t("receivables_installments"),
        rows: receivables,
        columns: {
          installment: ({ installment }) => String(installment),
          expected_on: ({ expectedOn }) => day(expectedOn),
          paid_out_on: ({ paidOutOn }) => day(paidOutOn),
          line_receivable: ({ gross }) => money(gross),
          line_provider_fee: ({ providerFee }) => money(providerFee),
          line_anticipation: ({ anticipationFee }) => money(anticipationFee),
          line_chargeback: ({ chargeback }) => money(chargeback),
          line_refund_deduction: ({ refundDeduction }) => money(refundDeduction),
          line_payout: ({ payout }) => money(payout),
          line_outstanding: ({ outstanding }) => money(outstanding),
        },
        numbers: [
          "line_receivable",
          "line_provider_fee",
          "line_anticipation",
          "line_chargeback",
          "line_refund_deduction",
          "line_payout",
          "line_outstanding",
        ],
        empty: html``,
      })}`,
  );
}

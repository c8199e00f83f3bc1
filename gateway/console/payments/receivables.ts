import type {
  GetPaymentBridgeResponse,
  Receivable,
  ReceivableSum,
} from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { card } from "../parts/show.ts";
import { rowTable, type Columns } from "../parts/table.ts";
import type { Guest, Visit } from "../visit.ts";
import { dayText, linesTable } from "./bridge.ts";
import { messagesIn, type MessageKey } from "./messages.ts";

const NUMBERS = [
  "line_receivable",
  "line_provider_fee",
  "line_anticipation",
  "line_chargeback",
  "line_refund_deduction",
  "line_payout",
  "line_outstanding",
] as const;

/** Returns what card providers said on a day, or "" if nothing was said. */
export async function receivableSumsCard(visit: Visit, day: string): Promise<Html | ""> {
  const { core, as } = visit;
  const { sums } = await core.ledger.summarizeReceivables({ from: day, to: day }, as);
  if (sums.length === 0) return "";
  const t = messagesIn(visit.language);
  return card(
    t("receivables"),
    html`<p class="quiet">${t("receivables_day_help")}</p>
      ${rowTable(t, {
        caption: t("receivables"),
        rows: sums,
        columns: { event_time: ({ day: of }) => dayText(visit, of), ...amountColumns(visit) },
        numbers: NUMBERS,
        empty: html``,
      })}`,
  );
}

/** Returns the columns of amounts: the first is the sum of all others. */
function amountColumns({ format }: Guest): Columns<MessageKey, Receivable | ReceivableSum> {
  const money = (amount: bigint): string => (amount === 0n ? "—" : format.money(amount, "BRL"));
  return {
    line_receivable: ({ gross }) => money(gross),
    line_provider_fee: ({ providerFee }) => money(providerFee),
    line_anticipation: ({ anticipationFee }) => money(anticipationFee),
    line_chargeback: ({ chargeback }) => money(chargeback),
    line_refund_deduction: ({ refundDeduction }) => money(refundDeduction),
    line_payout: ({ payout }) => money(payout),
    line_outstanding: ({ outstanding }) => money(outstanding),
  };
}

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
          ...amountColumns(guest),
        },
        numbers: NUMBERS,
        empty: html``,
      })}`,
  );
}

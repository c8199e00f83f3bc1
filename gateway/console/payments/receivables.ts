import type {
  GetPaymentBridgeResponse,
  Receivable,
  ReceivableSum,
} from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { card, shortId } from "../parts/show.ts";
import { rowTable, type Columns } from "../parts/table.ts";
import type { Guest, Visit } from "../visit.ts";
import { linesTable } from "./bridge.ts";
import { messagesIn, type MessageKey } from "./messages.ts";
import { list } from "../list/list.ts";
import { UNRESOLVED, unresolvedTabs } from "./unresolved.ts";
import { bothWays, pageOfWhole } from "../list/whole.ts";

const OVERDUE_MAX = 100;

/** The amounts of a receivable or a day, the first of which is the sum of all others. */
const AMOUNTS = {
  line_receivable: ({ gross }) => gross,
  line_provider_fee: ({ providerFee }) => providerFee,
  line_anticipation: ({ anticipationFee }) => anticipationFee,
  line_chargeback: ({ chargeback }) => chargeback,
  line_refund_deduction: ({ refundDeduction }) => refundDeduction,
  line_payout: ({ payout }) => payout,
  line_outstanding: ({ outstanding }) => outstanding,
} as const satisfies Partial<Record<MessageKey, (of: Receivable | ReceivableSum) => bigint>>;
type AmountKey = keyof typeof AMOUNTS;
const KEYS = Object.keys(AMOUNTS) as AmountKey[];

/** Returns what card providers said on a day, line by line, or "" if nothing was said. */
export async function receivableSumsCard(visit: Visit, day: string): Promise<Html | ""> {
  const { core, as, format } = visit;
  const { sums } = await core.ledger.summarizeReceivables({ from: day, to: day }, as);
  const [sum] = sums;
  if (!sum) return "";
  const t = messagesIn(visit.language);
  return card(
    t("receivables"),
    html`<p class="quiet">${t("receivables_day_help")}</p>
      ${rowTable(t, {
        caption: t("receivables"),
        rows: KEYS,
        columns: {
          line: (key) => t(key),
          amount: (key) => format.money(AMOUNTS[key](sum), sum.currency),
        },
        numbers: ["amount"],
        empty: html``,
      })}`,
  );
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
  const day = (text: string | undefined): string => (text === undefined ? "—" : guest.format.day(text));
  // What no installment has would only make the table wide.
  const keys = KEYS.filter((key) => receivables.some((receivable) => AMOUNTS[key](receivable) !== 0n));
  const amounts: Columns<MessageKey, Receivable> = Object.fromEntries(
    keys.map((key) => [
      key,
      (receivable: Receivable) => guest.format.money(AMOUNTS[key](receivable), receivable.currency),
    ]),
  );
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
          ...amounts,
        },
        numbers: keys,
        empty: html``,
      })}`,
  );
}

/** The payments whose money is overdue at their card provider, the longest overdue first. */
export const overdueList = list({
  path: "/payments/overdue",
  permission: "payments.read",
  messages: messagesIn,
  title: "overdue",
  lead: "overdue_lead",
  above: ({ visit }) => unresolvedTabs(visit, "/payments/overdue"),
  section: UNRESOLVED,
  sorts: { expected_on: ["expected_asc", "expected_desc"] },
  fetch: async ({ core, as }, asked) =>
    pageOfWhole(
      (await core.ledger.listOverdueReceivables({ limit: OVERDUE_MAX }, as)).overdue,
      asked,
      bothWays("expected", ({ expectedOn }) => Date.parse(expectedOn)),
    ),
  total: ({ rowCount }) => BigInt(rowCount),
  totalMax: BigInt(OVERDUE_MAX - 1),
  columns: ({ visit }) => ({
    expected_on: ({ expectedOn }) => visit.format.day(expectedOn),
    payment: ({ paymentId }) => shortId(visit, paymentId, `/payments/${paymentId}`),
  }),
  empty: () => ["overdue_none"],
});

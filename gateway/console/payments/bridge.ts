import {
  BridgeLineKind,
  PaymentState,
  type BridgeLine,
  type GetPaymentBridgeResponse,
  type Receivable,
} from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { card, copyable, facts, time } from "../parts/show.ts";
import { table } from "../parts/table.ts";
import type { Guest } from "../visit.ts";
import { installmentDays } from "./installment-days.ts";
import { messagesIn, type MessageKey } from "./messages.ts";
import { stateOf } from "./state.ts";

const WORDS: Readonly<Record<BridgeLineKind, MessageKey>> = {
  [BridgeLineKind.UNSPECIFIED]: "line",
  [BridgeLineKind.GROSS]: "line_gross",
  [BridgeLineKind.SERVICE_FEE]: "line_service_fee",
  [BridgeLineKind.INSTALLMENT_SURCHARGE]: "line_installment_surcharge",
  [BridgeLineKind.IOF]: "line_iof",
  [BridgeLineKind.ROUNDING]: "line_rounding",
  [BridgeLineKind.NET]: "line_net",
  [BridgeLineKind.REFUNDED]: "line_refunded",
  [BridgeLineKind.BORNE]: "line_borne",
  [BridgeLineKind.RECEIVABLE]: "line_receivable",
  [BridgeLineKind.PROVIDER_FEE]: "line_provider_fee",
  [BridgeLineKind.ANTICIPATION]: "line_anticipation",
  [BridgeLineKind.CHARGEBACK]: "line_chargeback",
  [BridgeLineKind.REFUND_DEDUCTION]: "line_refund_deduction",
  [BridgeLineKind.PAYOUT]: "line_payout",
  [BridgeLineKind.OUTSTANDING]: "line_outstanding",
  [BridgeLineKind.KEPT]: "line_kept",
};
const WHOLE: ReadonlySet<BridgeLineKind> = new Set([
  BridgeLineKind.GROSS,
  BridgeLineKind.NET,
  BridgeLineKind.REFUNDED,
  BridgeLineKind.BORNE,
  BridgeLineKind.RECEIVABLE,
  BridgeLineKind.PAYOUT,
  BridgeLineKind.OUTSTANDING,
]);

/**
 * Returns the statement from gross to net, and to what stayed after all that went back: the persisted lines, with BRL
 * values if there was a conversion. Returns "" for a payment that is not paid.
 */
export function bridgeCard(
  guest: Guest,
  { payment, lines, refundLines, kept }: GetPaymentBridgeResponse,
): Html | "" {
  // Without what stayed, nothing came in.
  if (!kept) return "";
  const t = messagesIn(guest.language);
  const fx = payment?.fx;
  const refunds =
    refundLines.length === 0
      ? ""
      : html`<h3>${t("refund_bridge")}</h3>
          ${linesTable(guest, refundLines, "refund_bridge_caption", fx !== undefined)}`;
  return card(
    t("bridge"),
    html`${linesTable(guest, lines, "bridge_caption", fx !== undefined)}
      <p class="quiet">${t(fx ? "bridge_help_converted" : "bridge_help_plain")}</p>
      ${
        fx
          ? facts([
              [t("rate"), t("rate_text", { rate: guest.format.rate(fx.rate) })],
              [t("rate_locked"), time(guest, fx.lockedAt)],
              [t("rate_until"), time(guest, fx.validUntil)],
            ])
          : ""
      }
      ${refunds}
      <p class="kept">${t("line_kept")}: <strong class="big">${amountText(guest, kept)}</strong></p>`,
  );
}

/** Returns the lines of a bridge, with BRL values if there was a conversion. */
export function linesTable(
  guest: Guest,
  lines: readonly BridgeLine[],
  caption: MessageKey,
  isConverted: boolean,
): Html {
  const t = messagesIn(guest.language);
  const columns = [
    { title: t("line") },
    { title: t("amount"), isNumber: true },
    ...(isConverted ? [{ title: t("in_brl"), isNumber: true }] : []),
  ];
  const rows = lines
    .filter((line) => isConverted || line.kind !== BridgeLineKind.ROUNDING)
    .map((line) => [
      t(WORDS[line.kind] ?? "line"),
      inLine(line, amountText(guest, takenOff(line))),
      ...(isConverted ? [inLine(line, guest.format.exactMoney(takenOff(line).valueBrl, "BRL"))] : []),
    ]);
  return table({ caption: t(caption), columns, rows, empty: html`` });
}

/**
 * Returns when the money was paid and is settled, or its installments are due, and the bank's id of it, or "" before the
 * payment succeeded.
 */
export function settlementCard(
  guest: Guest,
  bridge: GetPaymentBridgeResponse,
  receivables: readonly Receivable[],
): Html | "" {
  const { payment, details, succeededOn, settlesOn, settledAt } = bridge;
  if (succeededOn === undefined || settlesOn === undefined) return "";
  const t = messagesIn(guest.language);
  const endToEndId = payment?.endToEndId;
  const days = installmentDays(guest, receivables);
  const isRefunded = payment !== undefined && stateOf(payment) === PaymentState.REFUNDED;
  return card(
    t("settlement"),
    html`${endToEndId === undefined ? "" : copyable(guest, "end-to-end-id", endToEndId, t("end_to_end_id"))}
    ${facts([
      [t("paid_at"), time(guest, details?.paidAt)],
      ...(isRefunded ? [] : [[t("settles_on"), guest.format.day(settlesOn)] as const]),
      ...(days ? [[t("step_installments"), days] as const] : []),
      [t("settled_at"), time(guest, settledAt)],
    ])}`,
  );
}

/** Returns a line with the sign that it has in the sum: what is taken off is below 0. */
function takenOff(line: BridgeLine): Pick<BridgeLine, "amount" | "currency" | "valueBrl"> {
  const { kind, amount, currency, valueBrl } = line;
  if (WHOLE.has(kind) || /^[0.]+$/.test(valueBrl)) return line;
  const negated = valueBrl.startsWith("-") ? valueBrl.slice(1) : `-${valueBrl}`;
  return { amount: amount === undefined ? undefined : -amount, currency, valueBrl: negated };
}

function amountText(
  { format }: Guest,
  { amount, currency }: Pick<BridgeLine, "amount" | "currency">,
): string {
  return amount === undefined || currency === undefined ? "—" : format.money(amount, currency);
}

function inLine({ kind }: BridgeLine, text: string): Html | string {
  return WHOLE.has(kind) ? html`<strong>${text}</strong>` : text;
}

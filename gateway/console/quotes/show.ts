import { QuoteStatus, type Quote } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { Html } from "../../pages/html.ts";
import { badge, type Tone } from "../parts/show.ts";
import { optionText } from "../prices/payment-option.ts";
import type { Visit } from "../visit.ts";
import type { Translate } from "./messages.ts";

type StatusWord = "status_open" | "status_consumed" | "status_expired";

const STATUSES: Readonly<Record<QuoteStatus, readonly [Tone, StatusWord]>> = {
  [QuoteStatus.UNSPECIFIED]: ["plain", "status_open"],
  [QuoteStatus.OPEN]: ["good", "status_open"],
  [QuoteStatus.CONSUMED]: ["plain", "status_consumed"],
  [QuoteStatus.EXPIRED]: ["warn", "status_expired"],
};

export function quoteBadge(t: Translate, status: QuoteStatus = QuoteStatus.UNSPECIFIED): Html {
  return badge(STATUSES[status]?.[0] ?? "plain", statusText(t, status));
}

export function statusText(t: Translate, status: QuoteStatus): string {
  return t(STATUSES[status]?.[1] ?? "status_open");
}

/** Returns the payment option of a quote, in words. */
export function quotedOption(visit: Visit, { paymentMethod, installments }: Quote): string {
  return optionText(visit, paymentMethod, installments);
}

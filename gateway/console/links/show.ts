import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { PaymentLinkStatus, type PaymentLink } from "../../../gen/paylink/links/v1/links_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { badge, methodText, time, type Tone } from "../parts/show.ts";
import type { Visit } from "../visit.ts";
import { messagesIn, type Translate } from "./messages.ts";

type StatusWord = "status_active" | "status_completed" | "status_expired" | "status_canceled";

const STATUSES: Readonly<Record<PaymentLinkStatus, readonly [Tone, StatusWord]>> = {
  [PaymentLinkStatus.UNSPECIFIED]: ["plain", "status_active"],
  [PaymentLinkStatus.ACTIVE]: ["good", "status_active"],
  [PaymentLinkStatus.COMPLETED]: ["good", "status_completed"],
  [PaymentLinkStatus.EXPIRED]: ["warn", "status_expired"],
  [PaymentLinkStatus.CANCELED]: ["bad", "status_canceled"],
};

export function linkBadge(t: Translate, status: PaymentLinkStatus): Html {
  return badge(STATUSES[status]?.[0] ?? "plain", statusText(t, status));
}

export function statusText(t: Translate, status: PaymentLinkStatus): string {
  return t(STATUSES[status]?.[1] ?? "status_active");
}

/** Returns the link's product, else its reference, else a default name. */
export function linkName(t: Translate, { description, reference }: PaymentLink): string {
  return description || reference || t("untitled");
}

export function methodsText(visit: Visit, { paymentMethods }: PaymentLink): string {
  return paymentMethods.map((method) => methodText(visit, method)).join(", ");
}

/** Returns a link's expiry; 0 means never. */
export function expiryText(visit: Visit, expiresAt: Timestamp | undefined, write = time): Html | string {
  return expiresAt?.seconds ? write(visit, expiresAt) : messagesIn(visit.language)("never");
}

/** Returns a link that opens the payer's page in a new window. */
export function openPage(
  t: Translate,
  { checkoutUrl }: PaymentLink,
  kind = "",
  label: "open_page" | "open" = "open_page",
): Html {
  return html`<a class="button ${kind}" href="${checkoutUrl}" target="_blank" rel="noopener"
    >${t(label)} <span aria-hidden="true">↗</span></a
  >`;
}

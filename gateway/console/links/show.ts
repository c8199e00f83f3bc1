import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { html } from "hono/html";
import { PaymentLinkStatus, type PaymentLink } from "../../../gen/paylink/links/v1/links_pb.ts";
import type { Html } from "../../pages/html.ts";
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
  const [tone, word] = STATUSES[status] ?? ["plain", "status_active"];
  return badge(tone, t(word));
}

/** What people know a link by: its product, else its reference. */
export function linkName(t: Translate, { description, reference }: PaymentLink): string {
  return description || reference || t("untitled");
}

export function methodsText(visit: Visit, { paymentMethods }: PaymentLink): string {
  return paymentMethods.map((method) => methodText(visit, method)).join(", ");
}

/** A link's end; 0 says that there is none. */
export function expiryText(visit: Visit, expiresAt: Timestamp | undefined): Html | string {
  return expiresAt?.seconds ? time(visit, expiresAt) : messagesIn(visit.language)("never");
}

/** Opens the payer's page in a window of its own. */
export function openPage(t: Translate, { checkoutUrl }: PaymentLink, kind = ""): Html {
  return html`<a class="button ${kind}" href="${checkoutUrl}" target="_blank" rel="noopener"
    >${t("open_page")} <span aria-hidden="true">↗</span></a
  >`;
}

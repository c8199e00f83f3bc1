import type { PaymentLink } from "../../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { ProviderKind } from "../../../gen/paylink/providers/v1/providers_pb.ts";
import type { Html } from "../../pages/html.ts";
import { accountNote } from "../parts/show.ts";
import { isActive } from "../providers/views.ts";
import type { Visit } from "../visit.ts";
import { messagesIn } from "./messages.ts";
import { methodsText } from "./show.ts";

const KINDS: Partial<Record<PaymentMethod, ProviderKind>> = {
  [PaymentMethod.PIX]: ProviderKind.PIX,
  [PaymentMethod.CARD]: ProviderKind.CARD,
};

/** Returns the note that no connected account charges by a link's methods, or "". Of no account at all the frame says it. */
export function unpayableNote(visit: Visit, link: PaymentLink): Html | "" {
  if (visit.mode === "test" || !visit.isConnected) return "";
  const kinds = visit.accounts.filter(isActive).map(({ kind }) => kind);
  if (link.paymentMethods.some((method) => kinds.some((kind) => kind === KINDS[method]))) return "";
  const t = messagesIn(visit.language);
  return accountNote(visit, t("unpayable", { methods: methodsText(visit, link) }));
}

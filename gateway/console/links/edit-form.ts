import { defined } from "../../../contract/defined.ts";
import {
  PaymentLinkStatus,
  UpdatePaymentLinkRequestSchema,
  type PaymentLink,
} from "../../../gen/paylink/links/v1/links_pb.ts";
import { addressesOf } from "../fields/given.ts";
import { spanOf } from "../fields/expiry.ts";
import { messagesIn as fieldMessagesIn } from "../fields/messages.ts";
import { Typed } from "../fields/typed.ts";
import { form } from "../form/form.ts";
import { allProblems, FormProblem } from "../problems.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { requiredSuccessUrl } from "./link-form.ts";
import { linkName } from "./show.ts";
import { messagesIn } from "./messages.ts";

/** Adds the form that changes what no payer has relied on: never the price or how it is paid. */
export function editForm(routes: ConsoleRoutes): void {
  form(routes, {
    path: "/links/:id/edit",
    permission: "links.write",
    section: "/links",
    messages: messagesIn,
    title: "edit_title",
    text: "edit_text",
    request: UpdatePaymentLinkRequestSchema,
    load: changeableLink,
    from: (t, link) => ({ path: `/links/${link.id}`, title: linkName(t, link) }),
    fields: {
      opened: { kind: "hidden" },
      description: { kind: "text", label: "description", help: "description_help" },
      details: { kind: "lines", label: "details" },
      product_ref: { kind: "text", label: "product_ref" },
      reference: { kind: "text", label: "reference" },
      product_images: { kind: "lines", label: "pictures", help: "pictures_lines" },
      success_message: { kind: "lines", label: "success_message", help: "success_message_help" },
      success_url: {
        kind: "url",
        label: "success_url",
        help: "success_url_help",
        refused: "success_url_refused",
      },
      expires_unit: {
        kind: "select",
        label: "expires",
        help: "expires_help",
        fills: null,
        options: (t, visit) => {
          const unit = fieldMessagesIn(visit.language);
          return [
            ["", t("expires_kept")],
            ["minutes", unit("expiry_minutes")],
            ["hours", unit("expiry_hours")],
            ["days", unit("expiry_days")],
            ["never", unit("expiry_never")],
          ];
        },
      },
      expires_in: { kind: "text", label: "expires_count" },
    },
    initial: (link) => ({ opened: openedAs(link), ...textsOf(link) }),
    faults: (visit, typed) =>
      allProblems([() => spanIn(visit, typed), () => requiredSuccessUrl(visit, typed.text("success_url"))]),
    act: async (visit, sent) => {
      // Otherwise this would silently undo another user's change.
      if (sent.text("opened") !== openedAs(sent.loaded)) throw new FormProblem("", sent.t("edit_overtaken"));
      const expiresIn = spanIn(visit, Typed.sent(visit));
      await visit.core.links.updatePaymentLink(
        {
          id: sent.loaded.id,
          description: sent.text("description"),
          details: sent.text("details"),
          productRef: sent.text("product_ref"),
          reference: sent.text("reference"),
          successMessage: sent.text("success_message"),
          successUrl: sent.text("success_url"),
          productImages: { values: addressesOf([sent.text("product_images")]) },
          ...defined({ expiresIn }),
        },
        visit.as,
      );
      return `/links/${sent.loaded.id}?done=changed`;
    },
  });
}

function spanIn(visit: Visit, typed: Typed): bigint | undefined {
  return spanOf(visit, typed.text("expires_unit"), typed.text("expires_in"));
}

function textsOf({ description = "", details = "", productRef = "", reference = "", ...link }: PaymentLink) {
  const pictures = link.productImages.join("\n");
  const after = { success_message: link.successMessage ?? "", success_url: link.successUrl ?? "" };
  return { description, details, product_ref: productRef, reference, product_images: pictures, ...after };
}

function openedAs(link: PaymentLink): string {
  return JSON.stringify(textsOf(link));
}

/** Returns whether a link can be changed: one that is paid or over cannot. */
export function isChangeable({ status }: PaymentLink): boolean {
  return status === PaymentLinkStatus.ACTIVE || status === PaymentLinkStatus.CANCELED;
}

async function changeableLink(visit: Visit): Promise<PaymentLink> {
  const { paymentLink } = await visit.core.links.getPaymentLink({ id: visit.part("id") }, visit.as);
  if (!paymentLink || !isChangeable(paymentLink)) throw new Refused("unknown", visit);
  return paymentLink;
}

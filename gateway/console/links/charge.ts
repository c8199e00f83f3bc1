import { CreatePaymentLinkRequestSchema, type PaymentLink } from "../../../gen/paylink/links/v1/links_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { amountOf } from "../fields/amount.ts";
import { idempotent } from "../fields/submission.ts";
import { Typed } from "../fields/typed.ts";
import { form } from "../form/form.ts";
import { consolePage } from "../frame.ts";
import { doneNotice } from "../parts/done.ts";
import { withQuery } from "../parts/table.ts";
import { allProblems } from "../problems.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { linkRequest } from "./link-form.ts";
import { messagesIn } from "./messages.ts";
import { sharePart } from "./share.ts";
import { linkName } from "./show.ts";
import { unpayableNote } from "./unpayable.ts";
import { usualMethods } from "./usual-methods.ts";

export const CHARGE_PATH = "/links/charge";

/** Adds the short way to charge someone: an amount and a product, then a page that shares the link. */
export function chargeRoutes(routes: ConsoleRoutes): void {
  form(routes, {
    path: CHARGE_PATH,
    permission: "links.write",
    section: "/links",
    messages: messagesIn,
    from: (t) => ({ path: "/links", title: t("title") }),
    title: "charge",
    text: "charge_text",
    button: "charge_make",
    request: CreatePaymentLinkRequestSchema,
    fields: {
      amount: { kind: "amount", label: "charge_amount" },
      description: { kind: "text", label: "description" },
    },
    initial: () => ({}),
    onlyOnce: true,
    faults: (visit, typed) => allProblems([() => amountOf(visit, typed)]),
    act: async (visit, sent) => {
      const typed = Typed.of({
        amount: sent.text("amount"),
        description: sent.text("description"),
        payment_methods: await usualMethods(visit),
      });
      const request = linkRequest(visit, typed);
      const { paymentLink } = await visit.core.links.createPaymentLink(request, idempotent(visit));
      return `/links/${paymentLink?.id ?? ""}/share?done=made`;
    },
  });
  routes.page("/links/:id/share", "links.read", async (visit) => {
    const { paymentLink } = await visit.core.links.getPaymentLink({ id: visit.part("id") }, visit.as);
    if (!paymentLink) throw new Refused("unknown", visit);
    return await visit.show(sharePage(visit, paymentLink));
  });
}

function sharePage(visit: Visit, link: PaymentLink): Html {
  const t = messagesIn(visit.language);
  const path = `/links/${link.id}`;
  return consolePage(visit, {
    title: linkName(t, link),
    section: "/links",
    trail: { path, title: t("share_back") },
    content: html`${doneNotice(visit, t, { made: "made" })} ${unpayableNote(visit, link)}
      <p class="big">${visit.format.money(link.amount, link.currency)}</p>
      <section class="card slim">
        <h2>${t("share")}</h2>
        ${sharePart(visit, t, link)}
      </section>
      ${
        visit.can("links.write")
          ? html`<p class="actions">
              <a class="button" href="${visit.path(CHARGE_PATH)}">${t("charge_again")}</a>
              <a class="button" href="${withQuery(visit.path("/links/new"), { copy: link.id })}"
                >${t("duplicate")}</a
              >
            </p>`
          : ""
      }`,
  });
}

import { html, type Html } from "../../pages/html.ts";
import { form } from "../form/form.ts";
import { card, facts } from "../parts/show.ts";
import { codeOf, FormProblem, isUnknown } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { messagesIn } from "./messages.ts";
import { paymentOf } from "./payment.ts";

/** Adds the form that erases what the payer of a payment gave, at the payer's request. */
export function payerForms(routes: ConsoleRoutes): void {
  form(routes, {
    path: "/payments/:id/erase-payer",
    permission: "payers.erase",
    section: "/payments",
    messages: messagesIn,
    title: "payer_erase",
    text: "payer_erase_text",
    button: "payer_erase_now",
    asksPassword: true,
    isDangerous: true,
    load: paymentOf,
    from: (_, { id, grossAmount, grossCurrency, format }) => ({
      path: `/payments/${id}`,
      title: format.money(grossAmount, grossCurrency),
    }),
    act: async (visit, { loaded: { id: paymentId } }) => {
      const t = messagesIn(visit.language);
      const { erasedAt } = await visit.core.checkout
        .erasePayerDetails({ paymentId }, visit.as)
        .catch((error: unknown) => {
          if (codeOf(error) === "payment_in_progress") throw new FormProblem("", t("payer_erase_later"));
          // A payment made outside a checkout has no payer details.
          if (isUnknown(error)) return { erasedAt: undefined };
          throw error;
        });
      if (!erasedAt) throw new FormProblem("", t("payer_none"));
      return `/payments/${paymentId}?done=erased`;
    },
  });
}

/** Returns personal data only on request, and only if the user has the permission. */
export async function payerCard(visit: Visit, paymentId: string): Promise<Html | ""> {
  if (!visit.can("payers.read")) return "";
  const t = messagesIn(visit.language);
  const path = visit.path(`/payments/${paymentId}`);
  const erase = visit.can("payers.erase")
    ? html`<p><a class="button danger" href="${path}/erase-payer">${t("payer_erase")}</a></p>`
    : "";
  if (visit.query["payer"] !== "show") {
    return card(
      t("payer"),
      html`<p><a href="${path}?payer=show#payer">${t("payer_show")}</a></p>
        ${erase}`,
    );
  }
  // A payment made outside a checkout has no payer details.
  const { payer, bankName, erasedAt } = await visit.core.checkout
    .getPayerDetails({ paymentId }, visit.as)
    .catch((error: unknown) => {
      if (isUnknown(error)) return { payer: undefined, bankName: undefined, erasedAt: undefined };
      throw error;
    });
  const { name, email, document, phone, address } = payer ?? {};
  const pairs: (readonly [string, Html])[] = [];
  if (name !== undefined) pairs.push([t("payer_name"), html`<bdi>${name}</bdi>`]);
  if (bankName !== undefined) pairs.push([t("payer_bank_name"), html`<bdi>${bankName}</bdi>`]);
  if (email !== undefined) pairs.push([t("email"), html`<bdi>${email}</bdi>`]);
  if (document !== undefined) pairs.push([t("document"), html`<bdi>${document}</bdi>`]);
  if (phone !== undefined) pairs.push([t("phone"), html`<bdi>${phone}</bdi>`]);
  if (address) {
    const { street, number, complement, district, city, state, postalCode } = address;
    const parts = [`${street} ${number}`, complement, district, `${city} ${state}`, postalCode];
    pairs.push([t("address"), html`<bdi>${parts.filter(Boolean).join(", ")}</bdi>`]);
  }
  const none = erasedAt ? t("payer_erased", { time: visit.format.time(erasedAt) }) : t("payer_none");
  const content = pairs.length === 0 ? html`<p class="quiet">${none}</p>` : html`${facts(pairs)}${erase}`;
  return html`<div id="payer">${card(t("payer"), content)}</div>`;
}

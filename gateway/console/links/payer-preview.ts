import type { PreviewedWay } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { addressesOf } from "../fields/given.ts";
import type { Typed } from "../fields/typed.ts";
import type { Preview } from "../prices/preview.ts";
import { optionText } from "../prices/payment-option.ts";
import type { Visit } from "../visit.ts";
import { methodsOf } from "./link-form.ts";
import { messagesIn } from "./messages.ts";

/** Returns a picture of the payer's page of the form's link, with the core's prices. It has nothing to press. */
export function payerPreview(visit: Visit, typed: Typed, preview: Preview | undefined): Html {
  const t = messagesIn(visit.language);
  const methods = new Set(methodsOf(typed));
  const options = (preview?.prices?.ways ?? []).filter(
    ({ paymentMethod, result }) => methods.has(paymentMethod) && result.case === "price",
  );
  const [picture] = addressesOf(typed.texts("product_images"));
  const isShown = picture?.startsWith(`${visit.mediaBase}/`) ?? false;
  return html`<section class="card payer" aria-labelledby="payer-title">
    <h2 id="payer-title">${t("preview_title")}</h2>
    <p class="quiet">${visit.session.membership?.tenantName ?? ""}</p>
    ${isShown ? html`<img src="${picture ?? ""}" alt="" />` : ""}
    <p><strong>${typed.text("description") || t("untitled")}</strong></p>
    ${options.length === 0 ? html`<p class="quiet">${t("preview_empty")}</p>` : priced(visit, options)}
  </section>`;
}

/** The first option of each method, as the payer meets it. */
function priced(visit: Visit, options: readonly PreviewedWay[]): Html {
  const byMethod = [...Map.groupBy(options, ({ paymentMethod }) => paymentMethod).values()];
  const lines = byMethod.flatMap(([first]) => {
    if (first?.result.case !== "price") return [];
    const { payerTotal, payerCurrency } = first.result.value;
    return html`<li>
      ${optionText(visit, first.paymentMethod, first.installments)}
      <strong>${visit.format.money(payerTotal, payerCurrency)}</strong>
    </li>`;
  });
  return html`<ul class="bare">
    ${lines}
  </ul>`;
}

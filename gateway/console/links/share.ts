import type { FastifyReply } from "fastify";
import type { PaymentLink } from "../../../gen/paylink/links/v1/links_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { qrCode, qrPng } from "../../pages/qr-code.ts";
import { copyable } from "../parts/show.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import type { Translate } from "./messages.ts";

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Returns the address of a link with all the ways to send it. The texts are the merchant's to change before sending. */
export function sharePart(visit: Visit, t: Translate, link: PaymentLink): Html {
  const { checkoutUrl, id } = link;
  const text = shareText(visit, t, link);
  const subject = link.description ?? t("share_subject", { tenant: tenantOf(visit) });
  const mail = `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(text)}`;
  const file = (extension: string): string => visit.path(`/links/${id}/qr.${extension}`);
  return html`<p class="actions">
      <a
        class="button primary"
        href="https://wa.me/?text=${encodeURIComponent(text)}"
        target="_blank"
        rel="noopener"
        >${t("share_whatsapp")}</a
      >
      <button type="button" data-share="${text}" data-share-title="${subject}" hidden>
        ${t("share_other")}
      </button>
      <a class="button" href="${mail}">${t("share_email")}</a>
    </p>
    ${copyable(visit, "checkout-url", checkoutUrl, t("address"))}
    <div class="qr" role="img" aria-label="${t("qr")}">${qrCode(checkoutUrl)}</div>
    <p class="actions">
      <a class="button" href="${file("png")}" download>${t("qr_png")}</a>
      <a class="button" href="${file("svg")}" download>${t("qr_svg")}</a>
    </p>`;
}

function shareText(
  visit: Visit,
  t: Translate,
  { description, amount, currency, checkoutUrl }: PaymentLink,
): string {
  const values = {
    tenant: tenantOf(visit),
    amount: visit.format.money(amount, currency),
    address: checkoutUrl,
  };
  return description ? t("share_text_of", { ...values, product: description }) : t("share_text", values);
}

function tenantOf({ session }: Visit): string {
  return session.membership?.tenantName ?? "";
}

/** Adds the files of a link's QR code. */
export function qrRoutes(routes: ConsoleRoutes): void {
  routes.page("/links/:id/qr.svg", "links.read", async (visit) => {
    const code = (await qrCode(await addressOf(visit))).toString();
    return send(visit, "svg", `${XML}${code.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')}`);
  });
  routes.page("/links/:id/qr.png", "links.read", async (visit) =>
    send(visit, "png", await qrPng(await addressOf(visit))),
  );
}

async function addressOf(visit: Visit): Promise<string> {
  const { paymentLink } = await visit.core.links.getPaymentLink({ id: visit.part("id") }, visit.as);
  if (!paymentLink) throw new Refused("unknown", visit);
  return paymentLink.checkoutUrl;
}

const TYPES = { svg: "image/svg+xml", png: "image/png" };

function send(visit: Visit, extension: keyof typeof TYPES, content: string | Buffer): FastifyReply {
  const name = `${visit.part("id")}.${extension}`;
  return visit.reply
    .headers({ "content-disposition": `attachment; filename="${name}"`, "cache-control": "no-store" })
    .type(TYPES[extension])
    .send(content);
}

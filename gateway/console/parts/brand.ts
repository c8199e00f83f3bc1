import type { Profile } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import type { Visit } from "../visit.ts";

/** What payers see above the page of a company that has chosen no colour. */
const OWN_COLOR = "#0d3b32";

/**
 * Returns the head of the payer's page as the company's brand makes it. A logo of another host is left out: no other host
 * learns who reads the console.
 */
export function brandHead(visit: Visit, profile: Profile | undefined): Html {
  const { displayName = "", color = "", logoUrl = "" } = profile ?? {};
  const name = displayName || visit.session.membership?.tenantName || "";
  const id = logoUrl.startsWith(`${visit.mediaBase}/`) ? logoUrl.slice(visit.mediaBase.length + 1) : "";
  // A colour is an attribute of a picture, as the content policy takes no style in the page.
  return html`<div class="brand-head" data-brand="${visit.session.membership?.tenantName ?? ""}">
    <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
      <rect width="1" height="1" fill="${color || OWN_COLOR}" />
    </svg>
    <p translate="no">
      ${id === "" ? "" : html`<img src="/media/${id}" alt="" width="32" height="32" />`}
      <span>${name}</span>
    </p>
  </div>`;
}

import { html } from "hono/html";
import type { Html } from "../../pages/html.ts";

/** What the Enter key sends a form with, where other buttons stand before its own. Nobody sees it. */
export function defaultButton(label: string): Html {
  return html`<button class="hidden" tabindex="-1" aria-hidden="true">${label}</button>`;
}

import { html, type Html } from "../../pages/html.ts";

/** Returns the form's hidden default button, which the Enter key presses where other buttons come first. */
export function defaultButton(label: string): Html {
  return html`<button class="hidden" tabindex="-1" aria-hidden="true">${label}</button>`;
}

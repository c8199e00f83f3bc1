import { html } from "hono/html";
import type { Html } from "../../pages/html.ts";

/**
 * The filters of a list at this address: what they find stands in #list, how much in #found, and both are shown anew
 * while somebody types. Without a script a button does it.
 */
export function liveFilters(
  address: string,
  fields: Html,
  submit: string,
  clear: { readonly href: string; readonly text: string },
): Html {
  return html`<form
    class="filters"
    method="get"
    action="${address}"
    role="search"
    novalidate
    data-hx-get="${address}"
    data-hx-trigger="input delay:300ms, change delay:50ms, submit"
    data-hx-target="#list"
    data-hx-select="#list"
    data-hx-select-oob="#found"
    data-hx-swap="outerHTML"
    data-keeps-address
    data-hx-sync="this:replace"
  >
    ${fields}
    <div class="actions">
      <button>${submit}</button>
      <a href="${clear.href}">${clear.text}</a>
    </div>
  </form>`;
}

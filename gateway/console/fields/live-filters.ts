import { html, type Html } from "../../pages/html.ts";

/**
 * Returns the filters of a list at this address. The result, or what is wrong with the filters, is in #list; the count
 * is in #found. Both are replaced while the user types, and so are the parts in `besides`. Without a script a button
 * submits.
 */
export function liveFilters(
  address: string,
  fields: Html,
  submit: string,
  clear: { readonly href: string; readonly text: string },
  besides: readonly string[] = [],
): Html {
  const renewed = ["found", ...besides].map((id) => `#${id}`).join(",");
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
    data-hx-select-oob="${renewed}"
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

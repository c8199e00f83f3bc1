import { html, type Html } from "../../pages/html.ts";
import type { Permission } from "../../../contract/roles.ts";
import type { Visit } from "../visit.ts";
import { messagesIn, type MessageKey } from "./messages.ts";

/** The section of all money that needs a person. */
export const UNRESOLVED = "/payments/exceptions";

const PAGES = [
  { path: UNRESOLVED, word: "tab_exceptions", permission: "payments.read" },
  { path: "/providers/unknown", word: "tab_unknown", permission: "providers.read" },
  { path: "/payments/disputes", word: "disputes", permission: "payments.read" },
  { path: "/payments/overdue", word: "tab_overdue", permission: "payments.read" },
] as const satisfies readonly {
  readonly path: string;
  readonly word: MessageKey;
  readonly permission: Permission;
}[];

/** Returns the links to the lists of money that needs a person, with the present one marked. */
export function unresolvedTabs(visit: Visit, current: (typeof PAGES)[number]["path"]): Html {
  const t = messagesIn(visit.language);
  return html`<nav class="quick" aria-label="${visit.t("nav_unresolved")}">
    ${PAGES.filter(({ permission }) => visit.can(permission)).map(
      ({ path, word }) =>
        html`<a href="${visit.path(path)}" ${path === current ? html` aria-current="page"` : ""}
          >${t(word)}</a
        >`,
    )}
  </nav>`;
}

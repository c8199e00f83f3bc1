import type { Member } from "../../../gen/paylink/identity/v1/users_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { facts, time } from "../parts/show.ts";
import { roleName, type Visit } from "../visit.ts";
import { messagesIn } from "./messages.ts";

/** Returns the page of one member, with the actions on the member. */
export function memberPage(visit: Visit, member: Member): Html {
  const t = messagesIn(visit.language);
  const { userId, name, email, role, createdAt, lastSignedInAt } = member;
  const path = (step: string): string => visit.path(`/people/${userId}/${step}`);
  return consolePage(visit, {
    title: t("member_title", { name }),
    section: "/people",
    trail: { path: "/people", title: t("title") },
    content: html`<section class="card">
      ${facts([
        [t("email"), email],
        [t("role"), visit.t(`role_${roleName(role)}`)],
        [t("since"), time(visit, createdAt)],
        [t("last_signed_in"), time(visit, lastSignedInAt, t("never"))],
      ])}
      <div class="actions">
        <a class="button" href="${path("role")}">${t("change_role")}</a>
        <a class="button" href="${path("reset")}">${t("reset")}</a>
        <a class="button danger" href="${path("remove")}">${t("remove")}</a>
      </div>
    </section>`,
  });
}

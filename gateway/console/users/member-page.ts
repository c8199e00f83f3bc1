import { html } from "hono/html";
import type { Member } from "../../../gen/paylink/identity/v1/users_pb.ts";
import type { Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { facts, time } from "../parts/show.ts";
import { roleName, type Visit } from "../visit.ts";
import { sayIn } from "./words.ts";

/** One person of the company, and what can be done about them. */
export function memberPage(visit: Visit, member: Member): Html {
  const say = sayIn(visit.language);
  const { userId, name, email, role, createdAt, lastSignedInAt } = member;
  const path = (step: string): string => visit.path(`/people/${userId}/${step}`);
  return consolePage(visit, {
    title: say("member_title", { name }),
    section: "/people",
    trail: { path: "/people", title: say("title") },
    content: html`<section class="card">
      ${facts([
        [say("email"), email],
        [say("role"), visit.say(`role_${roleName(role)}`)],
        [say("since"), time(visit, createdAt)],
        [say("last_signed_in"), time(visit, lastSignedInAt, say("never"))],
      ])}
      <div class="actions">
        <a class="button" href="${path("role")}">${say("change_role")}</a>
        <a class="button" href="${path("reset")}">${say("reset")}</a>
        <a class="button danger" href="${path("remove")}">${say("remove")}</a>
      </div>
    </section>`,
  });
}

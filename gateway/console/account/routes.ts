import { ChangePasswordRequestSchema } from "../../../gen/paylink/identity/v1/users_pb.ts";
import { form } from "../form/form.ts";
import { hashToken } from "../session-token.ts";
import { NO_PROBLEMS } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { accountPage, userName, type Account } from "./views.ts";
import { messagesIn } from "./messages.ts";

/** Adds the pages and forms for a user's own account and sessions. */
export function accountRoom(routes: ConsoleRoutes): void {
  routes.change("/tenant", "signed_in", {
    act: async (visit) => {
      const request = { tenantId: visit.text("tenant"), ...tokenOf(visit) };
      await visit.core.users.switchTenant(request, visit.as);
      return visit.goTo(visit.path(""));
    },
  });
  form(routes, {
    path: "/account/password",
    permission: "signed_in",
    section: "/account",
    messages: messagesIn,
    title: "title",
    button: "change_password",
    request: ChangePasswordRequestSchema,
    fields: {
      email: { kind: "own", show: userName },
      password: { kind: "password", label: "current_password", autocomplete: "current-password" },
      new_password: {
        kind: "password",
        label: "new_password",
        help: "new_password_help",
        autocomplete: "new-password",
        // The core only reports a refusal; the page names the rule.
        refused: "length",
      },
      again: { kind: "password", label: "again", autocomplete: "new-password", fills: null },
    },
    load: accountOf,
    faults: (_, typed, t) =>
      typed.lines("new_password") === typed.lines("again") ? NO_PROBLEMS : new Map([["again", t("differs")]]),
    act: async (visit, sent) => {
      const [password, newPassword] = [sent.text("password"), sent.text("new_password")];
      await visit.core.users.changePassword({ ...tokenOf(visit), password, newPassword }, visit.as);
      return "/account?done=password";
    },
    page: { path: "/account", permission: "signed_in", show: accountPage },
  });
  routes.change("/account/sessions/:id", "signed_in", {
    act: async (visit) => {
      await visit.core.users.revokeSession({ ...tokenOf(visit), id: visit.part("id") }, visit.as);
      return visit.goTo(visit.path("/account?done=ended"));
    },
  });
  routes.change("/account/digest", "signed_in", {
    act: async (visit) => {
      const isOn = visit.text("on") === "true";
      const { language } = visit;
      await visit.core.users.putOwnDigest({ ...tokenOf(visit), isOn, language }, visit.as);
      return visit.goTo(visit.path("/account?done=digest"));
    },
  });
  routes.change("/account/payment-mails", "signed_in", {
    act: async (visit) => {
      const isOn = visit.text("on") === "true";
      const { language } = visit;
      await visit.core.users.putOwnPaymentMails({ ...tokenOf(visit), isOn, language }, visit.as);
      return visit.goTo(visit.path("/account?done=payment_mails"));
    },
  });
  routes.change("/account/signout", "signed_in", {
    act: async (visit) => {
      await visit.core.users.signOutEverywhere(tokenOf(visit), visit.as);
      return visit.goTo("/console/signin");
    },
  });
}

async function accountOf(visit: Visit): Promise<Account> {
  const { core, as } = visit;
  const [{ sessions }, { isSending }] = await Promise.all([
    core.users.listSessions(tokenOf(visit), as),
    core.users.getMailStanding({}, as),
  ]);
  if (!isSending) return { sessions, mails: undefined };
  const [digest, payments] = await Promise.all([
    core.users.getOwnDigest(tokenOf(visit), as),
    core.users.getOwnPaymentMails(tokenOf(visit), as),
  ]);
  return { sessions, mails: { digest: digest.isOn, payments: payments.isOn } };
}

function tokenOf({ sessionToken }: Visit): { tokenHash: Uint8Array } {
  return { tokenHash: hashToken(sessionToken) };
}

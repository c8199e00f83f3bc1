import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Guard } from "../guard.ts";
import { codeOf, NO_PROBLEMS, problemsOf, type Problems } from "../problems.ts";
import { Refused } from "../refused.ts";
import { hashToken } from "../session-token.ts";
import type { Guest } from "../visit.ts";
import { digits, enter, GUEST_FORM, statusOf, whence } from "./entering.ts";
import { accountFaults } from "./faults.ts";
import { messagesIn } from "./messages.ts";
import { html, type Html } from "../../pages/html.ts";
import { guestPage } from "../frame.ts";
import { inputField, postForm, problemList } from "../parts/form.ts";
import { codeField } from "./views.ts";

const HOME = "/console/test";
const PROBLEM_STATUS = 422;

/** Adds the pages with which a user asks for a new password by e-mail, and sets it. */
export function resetPages(app: FastifyInstance, guard: Guard): void {
  const ask = "/console/reset";
  const link = `${ask}/:token`;
  app.route({
    method: "GET",
    url: ask,
    exposeHeadRoute: true,
    handler: async (request, reply) => {
      const guest = guard.guest(request, reply);
      await requireMail(guest);
      return await guest.show(askResetPage(guest, NO_PROBLEMS));
    },
  });
  app.post(ask, GUEST_FORM, async (request, reply) => await askFor(guard, request, reply));
  app.route({
    method: "GET",
    url: link,
    exposeHeadRoute: true,
    handler: async (request, reply) => {
      const guest = guard.guest(request, reply);
      const email = await emailOf(guest);
      if (email === undefined) return await guest.show(resetGonePage(guest), 404);
      return await guest.show(resetPage(guest, guest.part("token"), email, NO_PROBLEMS));
    },
  });
  app.post(link, GUEST_FORM, async (request, reply) => await reset(guard, request, reply));
}

async function askFor(guard: Guard, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const guest = guard.guestForm(request, reply);
  await requireMail(guest);
  const email = guest.text("email").trim();
  const asked = { email, address: request.ip, language: guest.language };
  try {
    await guest.core.users.requestPasswordReset(asked, guest.as);
    return await guest.show(resetSentPage(guest));
  } catch (error) {
    const problems = problemsOf(error, guest.t);
    if (!problems) throw error;
    const t = messagesIn(guest.language);
    const explained = problems.has("email") ? new Map([["email", t("email_wrong")]]) : problems;
    return await guest.show(askResetPage(guest, explained, email), statusOf(error, guest));
  }
}

async function reset(guard: Guard, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const guest = guard.guestForm(request, reply);
  const email = await emailOf(guest);
  if (email === undefined) return await guest.show(resetGonePage(guest), 404);
  const { address, userAgent } = whence(guard, request);
  const token = guest.part("token");
  const typed = { password: guest.text("password"), code: digits(guest.text("code")) };
  const faults = accountFaults(guest, typed, { isNew: true });
  if (faults.size > 0) return await guest.show(resetPage(guest, token, email, faults), PROBLEM_STATUS);
  try {
    const tokens = await guest.core.users.resetPassword(
      { tokenHash: hashToken(token), ...typed, address, userAgent },
      guest.as,
    );
    return await enter(guard, guest, tokens, HOME);
  } catch (error) {
    if (codeOf(error) === "invitation_not_found") return await guest.show(resetGonePage(guest), 404);
    const problems = problemsOf(error, guest.t);
    if (!problems) throw error;
    const t = messagesIn(guest.language);
    const explained = new Map(problems);
    if (explained.has("password")) explained.set("password", t("password_rule"));
    return await guest.show(resetPage(guest, token, email, explained), statusOf(error, guest));
  }
}

/** Throws Refused when no e-mail is sent: there is no such page then. */
async function requireMail(guest: Guest): Promise<void> {
  if (!(await guest.core.users.getMailStanding({}, guest.as)).isSending) throw new Refused("unknown");
}

/** Returns the address of the link's user, or undefined if the link is not good any more. */
async function emailOf(guest: Guest): Promise<string | undefined> {
  try {
    const tokenHash = hashToken(guest.part("token"));
    return (await guest.core.users.getPasswordReset({ tokenHash }, guest.as)).email;
  } catch (error) {
    if (codeOf(error) === "invitation_not_found") return undefined;
    throw error;
  }
}

/** Returns the page that asks for a link to a new password. */
function askResetPage(guest: Guest, problems: Problems, email = ""): Html {
  const t = messagesIn(guest.language);
  return guestPage(
    guest,
    t("ask_reset"),
    html`<p>${t("ask_reset_text")}</p>
      ${problemList(guest, problems)}
      ${postForm(
        guest,
        "/console/reset",
        html`${inputField({
            name: "email",
            type: "email",
            label: t("email"),
            value: email,
            autocomplete: "username",
            isRequired: true,
            problems,
          })} <button class="primary wide">${t("ask_reset_button")}</button>`,
      )}
      <p><a href="/console/signin">${t("sign_in")}</a></p>`,
  );
}

/** Returns the page after the request, the same for every address. */
function resetSentPage(guest: Guest): Html {
  const t = messagesIn(guest.language);
  return guestPage(guest, t("reset_sent"), html`<p role="status">${t("reset_sent_text")}</p>`);
}

/** Returns the page of a link to a new password. */
function resetPage(guest: Guest, token: string, email: string, problems: Problems): Html {
  const t = messagesIn(guest.language);
  return guestPage(
    guest,
    t("reset_own"),
    html`<p>${t("reset_own_text", { email })}</p>
      ${problemList(guest, problems)}
      ${postForm(
        guest,
        `/console/reset/${token}`,
        html`<input type="hidden" name="email" value="${email}" autocomplete="username" />
          ${inputField({
            name: "password",
            type: "password",
            label: t("new_password"),
            help: t("new_password_help"),
            autocomplete: "new-password",
            isRequired: true,
            problems,
          })}
          ${codeField(t, problems)}
          <button class="primary wide">${t("accept_reset")}</button>`,
      )}`,
  );
}

function resetGonePage(guest: Guest): Html {
  const t = messagesIn(guest.language);
  return guestPage(
    guest,
    t("gone_title"),
    html`<p>${t("reset_gone")}</p>
      <p><a href="/console/reset">${t("ask_reset")}</a></p>`,
  );
}

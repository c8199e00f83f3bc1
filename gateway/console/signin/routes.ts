import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Guard } from "../guard.ts";
import { hashToken } from "../session-token.ts";
import { codeOf, isUnknown, NO_PROBLEMS, problemsOf, type Problems } from "../problems.ts";
import { Refused } from "../refused.ts";
import type { Guest } from "../visit.ts";
import { digits, enter, GUEST_FORM, statusOf, whence } from "./entering.ts";
import { accountFaults } from "./faults.ts";
import { messagesIn } from "./messages.ts";
import { resetPages } from "./reset.ts";
import { gonePage, invitationPage, signInPage } from "./views.ts";

/** The methods of the pages outside any mode. */
export const SIGN_IN_VERBS: Readonly<Record<string, readonly string[]>> = {
  "/console/signin": ["GET", "HEAD", "POST"],
  "/console/signout": ["GET", "HEAD", "POST"],
  "/console/invitations/:token": ["GET", "HEAD", "POST"],
  "/console/reset": ["GET", "HEAD", "POST"],
  "/console/reset/:token": ["GET", "HEAD", "POST"],
};

const HOME = "/console/test";
// Only a page of the console itself. "//host" would be another host.
const NEXT = /^\/console(?:\/(?:test|live)(?:[/?][\w\-./?=&%+:,]*)?)?$/;

const PROBLEM_STATUS = 422;

/** Adds the pages for sign-in, sign-out and invitations. */
export function signInPages(app: FastifyInstance, guard: Guard): void {
  const page = (
    url: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
  ) => app.route({ method: "GET", url, exposeHeadRoute: true, handler });
  page("/console", async (request, reply) =>
    reply.redirect((await guard.signedIn(request, reply)) ? HOME : "/console/signin", 303),
  );
  page("/console/*", async (request, reply) => {
    if (!(await guard.signedIn(request, reply))) throw new Refused("signed_out");
    throw new Refused("unknown", await guard.visitOf(request, reply, modeOf(request)));
  });
  page("/console/signin", async (request, reply) => {
    const guest = guard.guest(request, reply);
    const next = nextOf(guest.query["next"]);
    if (await guard.signedIn(request, reply)) return guest.goTo(next);
    return await guest.show(await signInPage(guest, next, NO_PROBLEMS));
  });
  app.post("/console/signin", GUEST_FORM, async (request, reply) => await signIn(guard, request, reply));
  page("/console/signout", async (_request, reply) => reply.redirect("/console", 303));
  app.post("/console/signout", async (request, reply) => {
    const visit = await guard.formOf(request, reply);
    await visit.core.users.signOut({ tokenHash: hashToken(visit.sessionToken) }, visit.as);
    guard.cookies.clear(reply, "session");
    return visit.goTo("/console/signin");
  });
  page("/console/invitations/:token", async (request, reply) => {
    const guest = guard.guest(request, reply);
    const invitation = await invitationOf(guest, guest.query["account"] === "new");
    if (!invitation) return await guest.show(gonePage(guest), 404);
    return await guest.show(invitationPage(guest, guest.part("token"), invitation, NO_PROBLEMS));
  });
  app.post(
    "/console/invitations/:token",
    GUEST_FORM,
    async (request, reply) => await accept(guard, request, reply),
  );
  resetPages(app, guard);
}

async function signIn(guard: Guard, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const guest = guard.guestForm(request, reply);
  const [email, next] = [guest.text("email"), nextOf(guest.text("next"))];
  const typed = { email, password: guest.text("password"), code: digits(guest.text("code")) };
  const faults = accountFaults(guest, typed, { isNew: false, asksEmail: true });
  if (faults.size > 0)
    return await guest.show(await signInPage(guest, next, faults, { email }), PROBLEM_STATUS);
  try {
    const tokens = await guest.core.users.signIn(
      { ...typed, ...whence(guard, request), language: guest.language },
      guest.as,
    );
    return await enter(guard, guest, tokens, next);
  } catch (error) {
    const problems = problemsOf(error, guest.t);
    if (!problems) throw error;
    const page = await signInPage(guest, next, problems, { email });
    return await guest.show(page, statusOf(error, guest));
  }
}

async function accept(guard: Guard, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const guest = guard.guestForm(request, reply);
  const isNewAccount = guest.text("account") === "new";
  const invitation = await invitationOf(guest, isNewAccount);
  if (!invitation) return await guest.show(gonePage(guest), 404);
  const [token, name] = [guest.part("token"), guest.text("name")];
  const typed = { name, isNewAccount, password: guest.text("password"), code: digits(guest.text("code")) };
  const isNew = invitation.totpUri !== undefined;
  const faults = accountFaults(guest, typed, { isNew, asksName: isNew && !invitation.isReset });
  if (faults.size > 0) {
    const page = invitationPage(guest, token, invitation, faults, { name });
    return await guest.show(page, PROBLEM_STATUS);
  }
  try {
    const tokenHash = hashToken(token);
    const tokens = await guest.core.users.acceptInvitation(
      { tokenHash, ...typed, ...whence(guard, request), language: guest.language },
      guest.as,
    );
    return await enter(guard, guest, tokens, HOME);
  } catch (error) {
    if (isUnknown(error)) return await guest.show(gonePage(guest), 404);
    const problems = problemsOf(error, guest.t);
    if (!problems) throw error;
    const explained = invitationProblems(guest, problems, isNew);
    const page = invitationPage(guest, token, invitation, explained, { name });
    return await guest.show(page, statusOf(error, guest));
  }
}

/** Returns the problems with the page's own texts: the core only reports a refusal. */
function invitationProblems(guest: Guest, problems: Problems, isNew: boolean): Problems {
  const t = messagesIn(guest.language);
  const texts = new Map(problems);
  if (texts.has("name")) texts.set("name", t("name_missing"));
  if (isNew && texts.has("password")) texts.set("password", t("password_rule"));
  return texts;
}

/** Returns the link's invitation, or undefined if it is invalid. `isNewAccount`: the user asks for a new account. */
async function invitationOf(guest: Guest, isNewAccount: boolean) {
  try {
    const tokenHash = hashToken(guest.part("token"));
    return await guest.core.users.getInvitation({ tokenHash, isNewAccount }, guest.as);
  } catch (error) {
    if (codeOf(error) === "invitation_not_found") return undefined;
    throw error;
  }
}

function nextOf(address: string | undefined): string {
  return address !== undefined && NEXT.test(address) && address !== "/console" ? address : HOME;
}

function modeOf({ url }: FastifyRequest): "live" | "test" {
  return url.startsWith("/console/live") ? "live" : "test";
}

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Session } from "../../gen/paylink/identity/v1/users_pb.ts";
import { textsOf } from "../pages/form.ts";
import { note } from "../http/request-observer.ts";
import type { Cookies } from "./cookies.ts";
import { callOptions, type ConsoleCore } from "./core.ts";
import { newFormSecret, TOKEN_FIELD } from "./form-token.ts";
import type { ConsoleOrigin } from "./origin.ts";
import { askToWait, codeOf, isUnknown, NO_PROBLEMS, problemsOf, type Problems } from "./problems.ts";
import { Refused } from "./refused.ts";
import type { ChangeRoute, PageRoute } from "./routes.ts";
import { readUpload } from "./upload.ts";
import { hashToken } from "./session-token.ts";
import { Guest, Visit, type ModeName } from "./visit.ts";
import { problemPage } from "./problem-page.ts";

export interface GuardDeps {
  readonly core: ConsoleCore;
  readonly coreToken: string;
  readonly origin: ConsoleOrigin;
  readonly cookies: Cookies;
  readonly mediaBase: string;
}

const PROBLEM_STATUS = 422;

/** The console's only entrance. It checks the session, the permission, and that a form is one of ours. */
export class Guard {
  readonly #deps: GuardDeps;
  readonly #visits = new WeakMap<FastifyRequest, Visit>();

  constructor(deps: GuardDeps) {
    this.#deps = deps;
  }

  get cookies(): Cookies {
    return this.#deps.cookies;
  }

  async page(route: PageRoute, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const visit = await this.#visit(request, reply);
    require(visit, route.permission);
    return await visit.run(async () => await route.show(visit));
  }

  async change(route: ChangeRoute, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    this.#requireOwnOrigin(request);
    const visit = await this.#visit(request, reply);
    require(visit, route.permission);
    return await visit.run(async () => await this.#act(route, visit));
  }

  async #act(route: ChangeRoute, visit: Visit): Promise<FastifyReply> {
    const { request, reply } = visit;
    if (route.fileBytesMax === undefined) requireToken((token) => visit.isFormToken(token), request.body);
    else await readUpload(visit, route.fileBytesMax);
    const found = (await route.faults?.(visit)) ?? NO_PROBLEMS;
    const isUnsaid = route.isConfirmed && visit.text("password") === "";
    const faults = isUnsaid ? new Map([...found, ["password", visit.t("password_missing")] as const]) : found;
    try {
      if (route.isConfirmed && !isUnsaid) await this.#confirm(visit);
      if (faults.size === 0) return await route.act(visit);
      return await refuse(route, visit, faults);
    } catch (error) {
      const problems = isUnknown(error) ? undefined : problemsOf(error, visit.t);
      if (!problems) throw error;
      note(request, { outcome: codeOf(error) ?? "form_problem" });
      askToWait(error, reply);
      return await refuse(route, visit, new Map([...faults, ...problems]));
    }
  }

  /** Returns a request without a session. A secret in a cookie protects its forms. */
  guest(request: FastifyRequest, reply: FastifyReply): Guest {
    const { core, cookies, coreToken } = this.#deps;
    let secret = cookies.read(request, "form");
    if (secret === undefined) {
      secret = newFormSecret();
      cookies.set(reply, "form", secret);
    }
    return new Guest(request, reply, core, callOptions(coreToken, request), secret);
  }

  /** Returns a request with a guest's form. Throws Refused when the form is not one of ours. */
  guestForm(request: FastifyRequest, reply: FastifyReply): Guest {
    this.#requireOwnOrigin(request);
    // A browser without the cookie gets a new secret, which matches no token that it can send.
    const guest = this.guest(request, reply);
    requireToken((token) => guest.isFormToken(token), request.body);
    return guest;
  }

  /** Returns the browser's session, or undefined if it has no valid one. Clears the cookie of an invalid session. */
  async signedIn(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<{ session: Session; token: string } | undefined> {
    const { core, cookies, coreToken } = this.#deps;
    const token = cookies.read(request, "session");
    if (token === undefined) {
      this.clearEnded(request, reply);
      return undefined;
    }
    try {
      const { session } = await core.users.authenticateSession(
        { tokenHash: hashToken(token) },
        callOptions(coreToken, request),
      );
      return session && { session, token };
    } catch (error) {
      if (codeOf(error) !== "invalid_session") throw error;
      this.clearEnded(request, reply);
      return undefined;
    }
  }

  /** Clears the cookie of an ended session. */
  clearEnded(request: FastifyRequest, reply: FastifyReply): void {
    const { cookies } = this.#deps;
    if (cookies.isSent(request, "session")) cookies.clear(reply, "session");
  }

  /** Ends the browser's session from before this sign-in. A session that has already ended is no error. */
  async endFormer({ request, core, as }: Guest): Promise<void> {
    const former = this.#deps.cookies.read(request, "session");
    if (former === undefined) return;
    try {
      await core.users.signOut({ tokenHash: hashToken(former) }, as);
    } catch (error) {
      if (codeOf(error) === "invalid_session") return;
      // The sign-in is already stored, so its answer must reach the browser. The former session expires when idle.
      request.log.warn({ err: error, request_id: request.id }, "a former session was not ended");
    }
  }

  /** Returns the visit of the signed-in user. Throws Refused without a session. */
  async visitOf(request: FastifyRequest, reply: FastifyReply, mode: ModeName): Promise<Visit> {
    const signedIn = await this.signedIn(request, reply);
    if (!signedIn) throw new Refused("signed_out");
    const { core, coreToken, mediaBase } = this.#deps;
    const as = callOptions(coreToken, request, signedIn.session, mode);
    const hasAccounts = mode === "live" && signedIn.session.membership !== undefined;
    const { accounts } = hasAccounts ? await core.providers.listProviderAccounts({}, as) : { accounts: [] };
    const visit = new Visit(request, reply, core, as, { ...signedIn, mode, mediaBase, accounts });
    this.#visits.set(request, visit);
    note(request, { tenantId: visit.tenantId, mode });
    return visit;
  }

  /** Returns the visit of the request, if it was begun: an error's page keeps its navigation. */
  begunVisit(request: FastifyRequest): Visit | undefined {
    return this.#visits.get(request);
  }

  /** Returns the visit of a request whose form was not read, or undefined if it has none. */
  async unreadVisit(request: FastifyRequest, reply: FastifyReply): Promise<Visit | undefined> {
    try {
      return await this.#visit(request, reply);
    } catch {
      return undefined;
    }
  }

  /** Returns the visit for a form outside the pages of a mode. Throws Refused. */
  async formOf(request: FastifyRequest, reply: FastifyReply): Promise<Visit> {
    this.#requireOwnOrigin(request);
    const visit = await this.visitOf(request, reply, "test");
    requireToken((token) => visit.isFormToken(token), request.body);
    return visit;
  }

  async #visit(request: FastifyRequest, reply: FastifyReply): Promise<Visit> {
    const { mode } = request.params as { mode: string };
    if (mode !== "live" && mode !== "test") throw new Refused("unknown");
    return await this.visitOf(request, reply, mode);
  }

  async #confirm(visit: Visit): Promise<void> {
    const password = visit.text("password");
    await this.#deps.core.users.confirmPassword(
      { tokenHash: hashToken(visit.sessionToken), password },
      visit.as,
    );
  }

  #requireOwnOrigin(request: FastifyRequest): void {
    if (!this.#deps.origin.isOwn(request.headers)) throw new Refused("foreign_form");
  }
}

async function refuse(route: ChangeRoute, visit: Visit, problems: Problems): Promise<FastifyReply> {
  if (route.refused) return await route.refused(visit, problems);
  return await visit.show(problemPage(visit, problems), PROBLEM_STATUS);
}

function require(visit: Visit, permission: PageRoute["permission"]): void {
  if (permission !== "signed_in" && !visit.can(permission)) throw new Refused("forbidden", visit);
}

function requireToken(isOurs: (token: string | undefined) => boolean, body: unknown): void {
  if (!isOurs(textsOf(body).get(TOKEN_FIELD)?.at(-1))) throw new Refused("foreign_form");
}

import type { CallOptions } from "@connectrpc/connect";
import type { FastifyReply, FastifyRequest } from "fastify";
import { wordsOf } from "../../contract/enum-words.ts";
import { HEADERS } from "../../contract/headers.ts";
import type { Session } from "../../gen/paylink/identity/v1/users_pb.ts";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { ProviderAccountState, type ProviderAccount } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { formatOf, type Format } from "../pages/format.ts";
import { formOf, textsOf, type Form } from "../pages/form.ts";
import type { Html } from "../pages/html.ts";
import { languageCookie, languageOf, named, otherThan, type Language } from "../pages/language.ts";
import type { ConsoleCore } from "./core.ts";
import { isFormToken, newFormToken, proofOf } from "./form-token.ts";
import { isPermitted, type Permission, type RoleName } from "../../contract/roles.ts";
import { Refused } from "./refused.ts";
import { messagesIn, type Translate } from "./messages.ts";

const roles = wordsOf(Role);

export function roleName(role: Role): RoleName {
  return roles.wordOf(role) ?? "viewer";
}

/** A request for a page, with or without a session. */
export class Guest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly core: ConsoleCore;
  /** Call options: the tenant, the mode and the user. */
  readonly as: CallOptions;
  readonly language: Language;
  readonly t: Translate;
  readonly format: Format;
  /** The secret behind the form tokens of this browser. */
  readonly #formSecret: string;

  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    core: ConsoleCore,
    as: CallOptions,
    secret: string,
  ) {
    const asked = formOf(request.query)["lang"];
    this.request = request;
    this.reply = reply;
    this.core = core;
    this.as = as;
    this.#formSecret = secret;
    this.language = languageOf(asked, request.headers.cookie, request.headers["accept-language"]);
    this.t = messagesIn(this.language);
    this.format = formatOf(this.language);
    if (named(asked)) void reply.header("set-cookie", languageCookie(this.language, "/console"));
  }

  get nonces(): { readonly script: string; readonly style: string } {
    return this.reply.cspNonce;
  }

  /** The query parameters; the last text of each name. */
  get query(): Form {
    return formOf(this.request.query);
  }

  /** Returns all texts of a form's field. */
  texts(name: string): readonly string[] {
    return textsOf(this.request.body).get(name) ?? [];
  }

  /** Returns the last text of a form's field, or "". */
  text(name: string): string {
    return this.texts(name).at(-1) ?? "";
  }

  /** Returns a path parameter, such as "id". Throws Refused when it contains NUL, which no id does. */
  part(name: string): string {
    const part = (this.request.params as Form)[name] ?? "";
    if (part.includes("\0")) throw new Refused("unknown");
    return part;
  }

  /** Returns whether htmx asks for a part of the page. */
  get isPartial(): boolean {
    return this.request.headers["hx-request"] === "true";
  }

  newFormToken(): string {
    return newFormToken(this.#formSecret);
  }

  /** Returns what proves that this browser's session made the text. */
  proofOf(text: string): string {
    return proofOf(this.#formSecret, text);
  }

  /** Returns whether the token was made for this browser's forms. */
  isFormToken(token: string | undefined): boolean {
    return isFormToken(this.#formSecret, token);
  }

  /** This page's address in the other language. */
  get otherLanguage(): string {
    const isPage = this.request.method === "GET";
    const [path = "", query = ""] = this.request.url.split("?");
    const parameters = new URLSearchParams(isPage ? query : "");
    parameters.set("lang", otherThan(this.language));
    return `${path}?${parameters.toString()}`;
  }

  async show(page: Html, status = 200): Promise<FastifyReply> {
    const text = (await page).toString();
    return this.reply
      .code(status)
      .headers({ "cache-control": "no-store", vary: "accept-language, cookie, hx-request" })
      .type("text/html; charset=utf-8")
      .send(text);
  }

  /** Redirects to a page after a change. */
  goTo(address: string): FastifyReply {
    return this.reply.header("cache-control", "no-store").redirect(address, 303);
  }
}

export type ModeName = "live" | "test";

/** The modes of pages as the contract has them. */
export const MODES: Readonly<Record<ModeName, Mode>> = { live: Mode.LIVE, test: Mode.TEST };

/** A signed-in user's request for a page of one tenant and mode. */
export class Visit extends Guest {
  readonly session: Session;
  /** The plaintext token in the session's cookie. */
  readonly sessionToken: string;
  readonly mode: ModeName;
  readonly role: RoleName;
  /** The address of hosted pictures. A page shows no others, so that no other host learns who reads it. */
  readonly mediaBase: string;
  /** The accounts at banks of this environment, latest first. */
  readonly accounts: readonly ProviderAccount[];
  readonly #work = Promise.withResolvers<void>();

  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    core: ConsoleCore,
    as: CallOptions,
    signedIn: {
      readonly session: Session;
      readonly token: string;
      readonly mode: ModeName;
      readonly mediaBase: string;
      readonly accounts: readonly ProviderAccount[];
    },
  ) {
    // A form that was opened for one company must not change another after the session has switched.
    super(request, reply, core, as, `${signedIn.token} ${signedIn.session.membership?.tenantId ?? ""}`);
    this.session = signedIn.session;
    this.sessionToken = signedIn.token;
    this.mode = signedIn.mode;
    this.mediaBase = signedIn.mediaBase;
    this.accounts = signedIn.accounts;
    this.role = roleName(signedIn.session.membership?.role ?? Role.VIEWER);
  }

  /** Runs the work of the visit, which runs once. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } finally {
      this.#work.resolve();
    }
  }

  /** Resolves when the work has ended, in whatever way. */
  get ended(): Promise<void> {
    return this.#work.promise;
  }

  /** The tenant of these pages, "ten_…". */
  get tenantId(): string {
    return this.session.membership?.tenantId ?? "";
  }

  /** True: the account of this environment, or a former one if there is none, is at a demo bank. */
  get isDemo(): boolean {
    return this.#active?.isDemo ?? this.accounts.some(({ isDemo }) => isDemo);
  }

  /** True: an active account takes payers' money in this environment. Test mode has none, and needs none. */
  get isConnected(): boolean {
    return this.#active !== undefined;
  }

  get #active(): ProviderAccount | undefined {
    return this.accounts.find(({ state }) => state === ProviderAccountState.ACTIVE);
  }

  /** Returns whether the user has the permission. Pages leave out what the user may not do. */
  can(permission: Permission): boolean {
    return isPermitted(this.role, permission);
  }

  /** Returns call options for the other mode, or for this one. */
  in(mode: ModeName): CallOptions {
    const headers = new Headers(this.as.headers);
    headers.set(HEADERS.mode, mode);
    return { ...this.as, headers };
  }

  /** Returns a page's address in this mode: "/keys" becomes "/console/test/keys". */
  path(rest: string): string {
    return `/console/${this.mode}${rest}`;
  }
}

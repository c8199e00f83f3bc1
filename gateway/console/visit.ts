import type { CallOptions } from "@connectrpc/connect";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Session } from "../../gen/paylink/identity/v1/users_pb.ts";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { Format } from "../pages/format.ts";
import { formOf, textsOf, type Form } from "../pages/form.ts";
import type { Html } from "../pages/html.ts";
import { languageCookie, languageOf, named, otherThan, type Language } from "../pages/language.ts";
import type { ConsoleCore } from "./core.ts";
import { isFormToken, newFormToken } from "./form-token.ts";
import { isPermitted, type Permission, type RoleName } from "./permission.ts";
import { Refused } from "./refused.ts";
import { messagesIn, type Translate } from "./messages.ts";

const FORMATS = { "pt-BR": new Format("pt-BR"), en: new Format("en") };

const ROLES: Readonly<Record<Role, RoleName>> = {
  [Role.UNSPECIFIED]: "viewer",
  [Role.OWNER]: "owner",
  [Role.DEVELOPER]: "developer",
  [Role.FINANCE]: "finance",
  [Role.VIEWER]: "viewer",
};

export function roleName(role: Role): RoleName {
  return ROLES[role] ?? "viewer";
}

/** A request for a page, by whomever. */
export class Guest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly core: ConsoleCore;
  /** Call options: for whom, in which mode, and who acts. */
  readonly as: CallOptions;
  readonly language: Language;
  readonly t: Translate;
  readonly format: Format;
  /** What the tokens of this browser's forms are made with. */
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
    this.format = FORMATS[this.language];
    if (named(asked)) void reply.header("set-cookie", languageCookie(this.language, "/console"));
  }

  get nonces(): { readonly script: string; readonly style: string } {
    return this.reply.cspNonce;
  }

  /** What stands in the address behind the question mark: one text for each name. */
  get query(): Form {
    return formOf(this.request.query);
  }

  /** Every text that the form gave for a name. */
  texts(name: string): readonly string[] {
    return textsOf(this.request.body).get(name) ?? [];
  }

  /** The text that the form gave for a name; empty when it gave none. */
  text(name: string): string {
    return this.texts(name).at(-1) ?? "";
  }

  /** A part of the path, as ":id". Throws Refused when it has the character that no id can have. */
  part(name: string): string {
    const part = (this.request.params as Form)[name] ?? "";
    if (part.includes("\0")) throw new Refused("unknown");
    return part;
  }

  /** Whether htmx asked, for a part of the page. */
  get isPartial(): boolean {
    return this.request.headers["hx-request"] === "true";
  }

  newFormToken(): string {
    return newFormToken(this.#formSecret);
  }

  /** Whether a form is one that this browser was given. */
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

  /** Leads to a page, after something was done. */
  goTo(address: string): FastifyReply {
    return this.reply.header("cache-control", "no-store").redirect(address, 303);
  }
}

export type ModeName = "live" | "test";

/** A request of somebody who signed in, for a page of one tenant and mode. */
export class Visit extends Guest {
  readonly session: Session;
  /** The plaintext of the session's cookie. */
  readonly sessionToken: string;
  readonly mode: ModeName;
  readonly role: RoleName;
  /** Where hosted pictures are; a page shows no others, so that none tells another host who reads it. */
  readonly mediaBase: string;

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
    },
  ) {
    // A form that was opened in one company must not change another, to which the session has switched meanwhile.
    super(request, reply, core, as, `${signedIn.token} ${signedIn.session.membership?.tenantId ?? ""}`);
    this.session = signedIn.session;
    this.sessionToken = signedIn.token;
    this.mode = signedIn.mode;
    this.mediaBase = signedIn.mediaBase;
    this.role = roleName(signedIn.session.membership?.role ?? Role.VIEWER);
  }

  /** The tenant whose pages these are, "ten_…". */
  get tenantId(): string {
    return this.session.membership?.tenantId ?? "";
  }

  /** Whether this person may do it; what they may not do is not on their pages. */
  can(permission: Permission): boolean {
    return isPermitted(this.role, permission);
  }

  /** The address of a page of this mode: "/keys" is "/console/test/keys". */
  path(rest: string): string {
    return `/console/${this.mode}${rest}`;
  }
}

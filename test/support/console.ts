import type { LightMyRequestResponse } from "fastify";
import type { BrowserContextOptions } from "playwright-core";
import type { RoleName } from "../../contract/roles.ts";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import type { Pages, PayerPage } from "./browser.ts";
import { PASSWORD, Users } from "./users.ts";
import type { TestService } from "./service.ts";

const ORIGIN = "http://127.0.0.1:8080";
const DESKTOP = { width: 1280, height: 800 };
const ROLES: Readonly<Record<RoleName, Role>> = {
  owner: Role.OWNER,
  developer: Role.DEVELOPER,
  finance: Role.FINANCE,
  viewer: Role.VIEWER,
};

/** A user with an account, as they sign in. */
export interface TestUser {
  readonly email: string;
  readonly name: string;
  readonly password: string;
  /** Base32 of the authenticator's key. */
  readonly totpSecret: string;
  /** The plaintext of a session of theirs. */
  readonly sessionToken: string;
}

/** A new user of a tenant, signed in. */
export async function createUser(
  service: TestService,
  tenantId: string,
  role: RoleName,
  email?: string,
  name?: string,
): Promise<TestUser> {
  const user = await new Users(service).join(tenantId, ROLES[role], email, name);
  return { ...user, password: PASSWORD, totpSecret: user.secret, sessionToken: user.token };
}

/** What the authenticator shows at the service's time. */
export function codeOf(totpSecret: string, service: TestService): string {
  return new Users(service).codeOf(totpSecret);
}

/** A browser without a window: it keeps cookies and sends forms with their token. */
export class ConsoleClient {
  readonly #service: TestService;
  readonly cookies = new Map<string, string>();

  constructor(service: TestService, user?: Pick<TestUser, "sessionToken">) {
    this.#service = service;
    if (user) this.cookies.set("paylink_session", user.sessionToken);
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> {
    return await this.#send({ method: "GET", url: path, headers });
  }

  /** Opens the page, and sends a form to `action` with the token found on it. */
  async post(
    page: string,
    action: string,
    form: Readonly<Record<string, string | readonly string[]>> = {},
    headers: Record<string, string> = {},
  ): Promise<LightMyRequestResponse> {
    return await this.send(action, { form_token: await this.formToken(page), ...form }, headers);
  }

  /** Sends a form as it is given. */
  async send(
    action: string,
    form: Readonly<Record<string, string | readonly string[]>>,
    headers: Record<string, string> = {},
  ): Promise<LightMyRequestResponse> {
    const pairs = Object.entries(form).flatMap(([name, value]) => [value].flat().map((text) => [name, text]));
    return await this.#send({
      method: "POST",
      url: action,
      headers: { origin: ORIGIN, "content-type": "application/x-www-form-urlencoded", ...headers },
      payload: new URLSearchParams(pairs).toString(),
    });
  }

  /** Sends a multipart form: its fields, then a file if one is given. */
  async upload(
    action: string,
    form: Readonly<Record<string, string>>,
    headers: Record<string, string> = {},
    file?: { readonly name: string; readonly content: Uint8Array },
  ): Promise<LightMyRequestResponse> {
    const data = new FormData();
    for (const [name, value] of Object.entries(form)) data.append(name, value);
    if (file) data.append("file", new Blob([Buffer.from(file.content)]), file.name);
    const body = new Response(data);
    return await this.#send({
      method: "POST",
      url: action,
      headers: { origin: ORIGIN, "content-type": body.headers.get("content-type") ?? "", ...headers },
      payload: Buffer.from(await body.arrayBuffer()),
    });
  }

  async formToken(page: string): Promise<string> {
    const { body, statusCode } = await this.get(page);
    const token = /name="form_token" value="([^"]+)"/.exec(body)?.[1];
    if (token === undefined) throw new Error(`no form on ${page} (${statusCode})`);
    return token;
  }

  async #send(request: {
    method: "GET" | "POST";
    url: string;
    headers: Record<string, string>;
    payload?: string | Buffer;
  }) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await this.#service.gateway.inject({
      ...request,
      headers: { cookie, ...request.headers },
    });
    for (const { name, value } of answer.cookies) {
      if (value === "") this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return answer;
  }
}

/** A browser's page of a user who signed in, in a wide window by default. */
export async function consolePage(
  pages: Pages,
  user: Pick<TestUser, "sessionToken">,
  options: BrowserContextOptions = {},
): Promise<PayerPage> {
  const page = await pages.newPage({ viewport: DESKTOP, ...options });
  await page.page
    .context()
    .addCookies([{ name: "paylink_session", value: user.sessionToken, url: pages.baseUrl }]);
  return page;
}

import fc from "fast-check";
import { CONSOLE_ROUTES } from "../../../gateway/console/app.ts";
import { isPermitted, type RoleName } from "../../../contract/roles.ts";
import type { ConsoleRoute } from "../../../gateway/console/routes.ts";
import { Role } from "../../../gen/paylink/identity/v1/users_pb.ts";
import { ConsoleClient, createUser, type TestUser } from "../../../test/support/console.ts";
import { createMerchant } from "../../../test/support/merchant.ts";
import { Users } from "../../../test/support/users.ts";
import { requireNoFault } from "./faults.ts";
import { casesOf, Mismatch, type Part } from "./part.ts";
import { Snapshots } from "./snapshot.ts";
import type { Tally } from "./tally.ts";
import type { Target } from "./target.ts";
import { texts } from "./texts.ts";

const ROLES = ["owner", "developer", "finance", "viewer"] as const;
const MODES = ["test", "test", "test", "live", "prod"];
const NAMES_MAX = 8;
const STRANGE_NAMES = [
  "",
  "__proto__",
  "form_token",
  "password",
  "amount",
  "limit",
  "from",
  "to",
  "status",
  "q",
];

/** A visit of the console as it is drawn. */
interface VisitDraw {
  readonly role: RoleName;
  readonly route: number;
  readonly mode: string;
  /** Which of the known ids the address has; past them, a text of any kind. */
  readonly id: number;
  readonly text: string;
  readonly fields: readonly (readonly [number, string])[];
  readonly hasPassword: boolean;
  readonly query: boolean;
}

const LIKELY = [
  "1",
  "0",
  "-1",
  "on",
  "pix",
  "card",
  "BRL",
  "USD",
  "100,00",
  "1.000,50",
  "2026-01-31",
  "owner",
  "a@b.example",
];

const visit: fc.Arbitrary<VisitDraw> = fc.record({
  role: fc.constantFrom(...ROLES),
  route: fc.nat({ max: CONSOLE_ROUTES.length - 1 }),
  mode: fc.constantFrom(...MODES),
  id: fc.nat({ max: 40 }),
  text: texts(40),
  fields: fc.array(fc.tuple(fc.nat({ max: 200 }), fc.oneof(texts(300), fc.constantFrom(...LIKELY))), {
    maxLength: NAMES_MAX,
  }),
  hasPassword: fc.boolean(),
  query: fc.boolean(),
});

/** Users of every role at every page and form of the console's registry, with fields of any kind. */
export const CONSOLE: Part = {
  name: "console",
  share: 14,
  prepare: async (target, tally) => {
    const visits = await Console.open(target, tally);
    return casesOf(visit, async (draw) => await visits.visit(draw));
  },
};

class Console {
  readonly #target: Target;
  readonly #tally: Tally;
  readonly #snapshots: Snapshots;
  readonly #tenantId: string;
  readonly #users = new Map<RoleName, TestUser>();
  #ids: readonly string[] = [];
  #names: readonly string[] = STRANGE_NAMES;

  private constructor(target: Target, tally: Tally, tenantId: string) {
    this.#target = target;
    this.#tally = tally;
    this.#snapshots = new Snapshots(target);
    this.#tenantId = tenantId;
  }

  /** With objects of every kind, and the names of all fields that the pages of an owner have. */
  static async open(target: Target, tally: Tally): Promise<Console> {
    const { service } = target;
    const merchant = await createMerchant(service);
    const console = new Console(target, tally, merchant.tenant.id);
    await merchant.webhooks.createWebhookEndpoint({ url: "http://127.0.0.1:3999/hook" }, merchant.as);
    await merchant.pay();
    await merchant.newLink();
    await merchant.api.post("/v1/quotes", { amount: 15_990, currency: "USD", payment_method: "pix" });
    const owner = await console.#client("owner");
    const pages = CONSOLE_ROUTES.filter(({ kind, path }) => kind === "page" && !path.includes(":"));
    const bodies: string[] = [];
    for (const { path } of pages) bodies.push((await owner.get(`/console/test${path}`)).body);
    const all = bodies.join("\n");
    console.#ids = [...new Set(all.match(/\b[a-z]{2,4}_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g))].toSorted();
    const names = [...all.matchAll(/ name="([\w[\].-]+)"/g)].map(([, name = ""]) => name);
    console.#names = [...new Set([...names, ...STRANGE_NAMES])].toSorted();
    return console;
  }

  async visit(draw: VisitDraw): Promise<void> {
    const route = CONSOLE_ROUTES[draw.route] as ConsoleRoute;
    const client = await this.#client(draw.role);
    const fields = draw.fields.map(
      ([index, text]) => [this.#names[index % this.#names.length] ?? "", text] as const,
    );
    const address = this.#address(draw, route);
    const isBarred = route.permission !== "signed_in" && !isPermitted(draw.role, route.permission);
    // An unknown mode has no pages for any role.
    const isRefused = isBarred && draw.mode !== "prod";
    const token = route.kind === "change" ? await client.formToken("/console/test") : "";
    const before = isRefused ? await this.#snapshots.take() : undefined;
    const answer = await this.#send(client, route, address, token, draw, fields);
    this.#tally.status(answer.statusCode);
    const described = (): string => `${draw.role} ${route.kind} ${address} ${JSON.stringify(fields)}`;
    if (answer.statusCode >= 500)
      throw new Mismatch(`the console failed with ${answer.statusCode}: ${described()}\n${answer.body}`);
    if (answer.headers["x-request-id"] === undefined) throw new Mismatch(`no X-Request-Id: ${described()}`);
    requireNoFault(this.#target);
    if (!before) return;
    if (answer.statusCode !== 403) throw new Mismatch(`not 403 but ${answer.statusCode}: ${described()}`);
    await this.#snapshots.expectSame(before, described);
  }

  async #send(
    client: ConsoleClient,
    route: ConsoleRoute,
    address: string,
    token: string,
    { query, hasPassword, role }: VisitDraw,
    fields: readonly (readonly [string, string])[],
  ) {
    if (route.kind === "page") {
      const search = query
        ? `?${new URLSearchParams(fields.map(([name, text]) => [name, text])).toString()}`
        : "";
      return await client.get(`${address}${search}`);
    }
    const password = hasPassword ? { password: this.#users.get(role)?.password ?? "" } : {};
    const form = { ...gathered(fields), ...password, form_token: token };
    if (route.fileBytesMax === undefined) return await client.send(address, form);
    const single = Object.fromEntries(
      Object.entries(form).map(([name, value]) => [name, [value].flat()[0] ?? ""]),
    );
    const content = Buffer.from(fields.map(([, text]) => text).join(""));
    return await client.upload(address, single, {}, { name: "picture.png", content });
  }

  #address({ mode, id, text }: VisitDraw, { path }: ConsoleRoute): string {
    const part = this.#ids[id] ?? encodeURIComponent(text);
    return `/console/${mode}${path.replaceAll(/:\w+/g, () => (part === "" ? "x" : part))}`;
  }

  /** A signed-in user of the role: a case may have ended the session before, or changed the role. */
  async #client(role: RoleName): Promise<ConsoleClient> {
    const { service } = this.#target;
    const known = this.#users.get(role);
    const session = known && (await new Users(service).sessionOf(known.sessionToken).catch(() => undefined));
    if (known && session?.session?.membership?.role === ROLE_OF[role])
      return new ConsoleClient(service, known);
    const user = await createUser(service, this.#tenantId, role);
    this.#users.set(role, user);
    return new ConsoleClient(service, user);
  }
}

const ROLE_OF: Readonly<Record<RoleName, Role>> = {
  owner: Role.OWNER,
  developer: Role.DEVELOPER,
  finance: Role.FINANCE,
  viewer: Role.VIEWER,
};

function gathered(
  fields: readonly (readonly [string, string])[],
): Record<string, string | readonly string[]> {
  const form: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const [name, text] of fields) (form[name] ??= []).push(text);
  return { ...form };
}

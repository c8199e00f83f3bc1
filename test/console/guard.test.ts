import { describe, expect, test } from "vitest";
import { CONSOLE_ROUTES } from "../../gateway/console/app.ts";
import { isPermitted, type RoleName } from "../../contract/roles.ts";
import type { ConsoleRoute } from "../../gateway/console/routes.ts";
import { ConsoleClient, createUser, type TestUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

const ROLES = ["owner", "developer", "finance", "viewer"] as const;
const ID = "01k5e8zj7qf4x9r2m3n6p8s0tv";
// What a request leaves behind although it changes nothing: when a session was last seen.
const UNSTEADY = ["session", "console_session", "attempt", "sign_in_attempt"];

const users = {} as Record<RoleName, TestUser>;

const service = await forFile(startService());
const tenant = await service.createTenant();
for (const role of ROLES) users[role] = await createUser(service, tenant.id, role);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

const changes = CONSOLE_ROUTES.filter(({ kind }) => kind === "change");
const pages = CONSOLE_ROUTES.filter(({ kind }) => kind === "page");

/** An address of the route, with ids that could be. */
function addressOf({ path }: ConsoleRoute, mode = "test"): string {
  return `/console/${mode}${path.replaceAll(/:\w+/g, `xx_${ID}`)}`;
}

async function everything(): Promise<unknown> {
  return [await rows.digests("identity", UNSTEADY), await rows.digests("test"), await rows.digests("live")];
}

/** Sends the form as it is, or as its multipart form where the route takes a file. */
async function send(
  client: ConsoleClient,
  route: ConsoleRoute,
  form: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const isUpload = route.kind === "change" && route.fileBytesMax !== undefined;
  const address = addressOf(route);
  return isUpload ? await client.upload(address, form, headers) : await client.send(address, form, headers);
}

describe("every route that changes something", () => {
  test("there are some", () => expect(changes.length).toBeGreaterThan(0));

  test.each(changes.map((route) => [route.path, route] as const))("%s", async (_path, route) => {
    const owner = new ConsoleClient(service, users.owner);
    const other = new ConsoleClient(service, users.finance);
    const own = await owner.formToken("/console/test");
    const foreign = await other.formToken("/console/test");
    const form = { password: users.owner.password };
    const before = await everything();
    const answers = {
      "no token": await send(owner, route, form),
      "an empty token": await send(owner, route, { ...form, form_token: "" }),
      "another session's token": await send(owner, route, { ...form, form_token: foreign }),
      "no origin": await send(owner, route, { ...form, form_token: own }, { origin: "" }),
      "a foreign origin": await send(
        owner,
        route,
        { ...form, form_token: own },
        { origin: "https://evil.example" },
      ),
      "the origin null": await send(owner, route, { ...form, form_token: own }, { origin: "null" }),
      "another site, by the browser's header": await send(
        owner,
        route,
        { ...form, form_token: own },
        { "sec-fetch-site": "cross-site" },
      ),
    };
    const statuses = Object.fromEntries(
      Object.entries(answers).map(([name, { statusCode }]) => [name, statusCode]),
    );
    expect(statuses).toEqual(Object.fromEntries(Object.keys(answers).map((name) => [name, 403])));
    const signedOutClient = new ConsoleClient(service);
    const signedOut = await send(signedOutClient, route, { ...form, form_token: own });
    expect([signedOut.statusCode, signedOut.headers.location]).toEqual([303, "/console/signin?ended=1"]);
    expect(await everything()).toEqual(before);
  });
});

test("a form that admits a user, sends data elsewhere or cannot be undone asks for the password", () => {
  const confirmed = changes.filter((route) => route.kind === "change" && route.isConfirmed === true);
  expect(confirmed.map(({ path }) => path).toSorted()).toEqual([
    "/keys/:id/revoke",
    "/keys/:id/rotate",
    "/keys/new",
    "/payments/:id/erase-payer",
    "/payments/:id/exceptions/:exception/refund",
    "/payments/:id/refund",
    "/people/:id/remove",
    "/people/:id/reset",
    "/people/:id/role",
    "/people/invitations/:id/revoke",
    "/people/invite",
    "/providers/:id/retire",
    "/providers/:id/rotate",
    "/providers/:id/sweep",
    "/providers/:id/unknown/:money/settle",
    "/providers/:id/verify",
    "/providers/new/:kind/:profile",
    "/settings/entities/:id/replace",
    "/webhooks/endpoints/:id/delete",
    "/webhooks/endpoints/:id/edit",
    "/webhooks/endpoints/:id/enable",
    "/webhooks/endpoints/:id/rotate",
    "/webhooks/new",
  ]);
});

describe.each(ROLES)("%s", (role) => {
  const refused = (route: ConsoleRoute): boolean =>
    route.permission !== "signed_in" && !isPermitted(role, route.permission);

  test("is refused by the server what the role may not do", async () => {
    const client = new ConsoleClient(service, users[role]);
    const token = await client.formToken("/console/test");
    const before = await everything();
    for (const route of changes.filter(refused)) {
      const form = { form_token: token, password: users[role].password };
      expect([route.path, (await send(client, route, form)).statusCode]).toEqual([route.path, 403]);
    }
    for (const route of pages.filter(refused)) {
      expect([route.path, (await client.get(addressOf(route))).statusCode]).toEqual([route.path, 403]);
    }
    expect(await everything()).toEqual(before);
  });

  test("finds no link on its pages to what the role may not do", async () => {
    const client = new ConsoleClient(service, users[role]);
    const barred = CONSOLE_ROUTES.filter(refused).map((route) => patternOf(route));
    for (const route of pages.filter((page) => !refused(page) && !page.path.includes(":"))) {
      const { body } = await client.get(addressOf(route));
      const addresses = [...body.matchAll(/(?:href|action|data-hx-get)="([^"?#]+)/g)].map(
        ([, address = ""]) => address,
      );
      const barredHere = addresses.filter((address) => barred.some((pattern) => pattern.test(address)));
      expect([route.path, barredHere]).toEqual([route.path, []]);
    }
  });
});

/** The addresses of a route that no route with words in place of its parts has. */
function patternOf({ path }: ConsoleRoute): RegExp {
  return new RegExp(`^/console/(?:test|live)${path.replaceAll(/:\w+/g, "[a-z]+_[0-9a-z]{26}")}$`);
}

describe("a page", () => {
  test("redirects a visitor without a session to the sign-in page, and back", async () => {
    const signedOutClient = new ConsoleClient(service);
    const { statusCode, headers } = await signedOutClient.get("/console/live?lang=en");
    expect([statusCode, headers.location]).toEqual([
      303,
      "/console/signin?next=%2Fconsole%2Flive%3Flang%3Den",
    ]);
  });

  test.each(["/console/nowhere", "/console/test/nowhere", "/console/prod/links", "/console/test/keys/a/b/c"])(
    "%s is unknown",
    async (path) => {
      const owner = new ConsoleClient(service, users.owner);
      expect((await owner.get(path)).statusCode).toBe(404);
    },
  );

  test("has a strict policy, is not kept, and has no script or style of its own", async () => {
    const owner = new ConsoleClient(service, users.owner);
    for (const route of pages.filter(({ path }) => !path.includes(":"))) {
      const whole = await owner.get(addressOf(route));
      // What is only a part of a page leads to the page, unless the page itself asks.
      const isPart = whole.statusCode === 303;
      const { statusCode, headers, body } = isPart
        ? await owner.get(addressOf(route), { "hx-request": "true" })
        : whole;
      expect([route.path, statusCode]).toEqual([route.path, 200]);
      const policy = String(headers["content-security-policy"]);
      expect(policy).toMatch(
        /default-src 'none';.*script-src 'nonce-[^']+';.*form-action 'self';frame-ancestors 'none'/,
      );
      expect(policy).not.toMatch(/unsafe|\*/);
      expect(headers["cache-control"]).toBe("no-store");
      if (!String(headers["content-type"]).startsWith("text/html")) continue;
      expect(body).not.toMatch(/<style|style="|\son\w+="|<script(?![^>]*\ssrc=)/);
    }
  });
});

import { CONSOLE_ROUTES } from "../../gateway/console/app.ts";
import { TOKEN_FIELD } from "../../gateway/console/form-token.ts";
import { ofx, type BankRow } from "../../test/reconciliation/books.ts";
import type { PayerPage } from "../../test/support/browser.ts";
import { PASSWORD } from "../../test/support/users.ts";
import type { Screen, Who } from "./screen.ts";
import { refusalScreens } from "./refusals.ts";
import type { Showcase } from "./showcase.ts";

// A file is no page, and a part of one is looked at within it.
const FILE = /\.\w+$/;
const PARTS: ReadonlySet<string> = new Set(["/links/prices", "/quotes/prices", "/close/:day/verification"]);
/** Sections that test mode has nothing in. */
const LIVE = /^\/(?:providers|payments\/(?:disputes|overdue))/;
const SENDS = "main form[method=post] button:is(.primary, .danger)";

/** Every page of the console by the registry of its routes, its forms as they are refused, and the pages of guests. */
export function consoleScreens(showcase: Showcase): Screen[] {
  return [
    ...routeScreens(showcase),
    ...otherScreens(showcase),
    ...refusedScreens(showcase),
    ...refusalScreens(showcase),
  ];
}

function routeScreens(showcase: Showcase): Screen[] {
  const examples = examplesOf(showcase);
  const pages = CONSOLE_ROUTES.filter(
    ({ kind, path }) => kind === "page" && !FILE.test(path) && !PARTS.has(path),
  );
  return pages.flatMap(({ path }) => {
    const found = examples[path] ?? (path.includes(":") ? [] : [path]);
    if (found.length === 0) throw new Error(`tools/screens/console-screens.ts has no example of ${path}`);
    return found.map((example, index) => screenAt(nameOf(path, index), modeOf(path), example));
  });
}

/** The forms that ask for the password, sent without it: they change nothing. */
function refusedScreens(showcase: Showcase): Screen[] {
  const examples = examplesOf(showcase);
  const confirmed = CONSOLE_ROUTES.filter((route) => route.kind === "change" && route.isConfirmed === true);
  return confirmed.map(({ path }) => ({
    ...screenAt(`${nameOf(path, 0)}-refused`, modeOf(path), examples[path]?.[0] ?? path),
    act: async (page) => {
      await showcase.forgetAttempts();
      await send(page);
    },
  }));
}

/** Addresses of each route that has ids, and of those that show something else by their query. */
function examplesOf({ sales, company, deliveries, live, reconciled }: Showcase): Record<string, string[]> {
  const { links, payments, quotes, days } = sales;
  const { keyId, entityId, invitationId, memberId } = company;
  const { failing, well } = deliveries.endpoints;
  const { bankAccountId, cardAccountId, unknownId } = live;
  const all = `from=${days.closed}&to=${days.open}`;
  return {
    "/links": ["/links", "/links?query=none", "/links?from=2026-03-03&to=2026-03-02"],
    "/links/new": ["/links/new", "/links/new?amount=1599&payment_methods=pix&payment_methods=card"],
    "/links/:id": Object.values(links).map((id) => `/links/${id}`),
    "/links/:id/share": [`/links/${links.open}/share?done=made`],
    "/links/:id/edit": [`/links/${links.open}/edit`],
    "/quotes/new": ["/quotes/new", "/quotes/new?amount=1599&currency=USD&do=prices"],
    "/quotes/:id": Object.values(quotes).map((id) => `/quotes/${id}`),
    "/payments": [`/payments?${all}`, "/payments", "/payments?from=2026-03-03&to=2026-03-02"],
    "/payments/export": [`/payments/export?${all}`],
    "/payments/:id": [
      ...Object.values(payments).map((id) => `/payments/${id}?payer=show`),
      `live:/payments/${live.contestedId}`,
    ],
    "/payments/:id/erase-payer": [`/payments/${payments.paid}/erase-payer`],
    "/payments/:id/refund": [`/payments/${payments.paid}/refund`],
    "/payments/:id/exceptions/:exception/refund": [
      `/payments/${payments.odd}/exceptions/${sales.exceptionId}/refund`,
    ],
    "/payments/balance": ["/payments/balance", "live:/payments/balance"],
    "/close": [`/close?month=${days.closed.slice(0, 7)}`, `/close?month=${days.open.slice(0, 7)}`],
    "/close/:day": [
      `/close/${days.closed}`,
      `/close/${days.open}`,
      "/close/2099-01-01",
      `live:/close/${days.open}`,
    ],
    "/reconciliation": [
      `/reconciliation?month=${reconciled.days.differs.slice(0, 7)}`,
      "/reconciliation?month=2026-01",
      "/reconciliation?month=x",
      "live:/reconciliation",
    ],
    "/reconciliation/days/:day": [
      `/reconciliation/days/${reconciled.days.differs}`,
      `/reconciliation/days/${reconciled.days.explained}`,
      "/reconciliation/days/2026-01-01",
    ],
    "/reconciliation/lines": [
      `/reconciliation/lines?account=${reconciled.bankAccountId}`,
      `/reconciliation/lines?account=${reconciled.bankAccountId}&open=yes`,
      "/reconciliation/lines?account=&amount=x",
    ],
    "/reconciliation/statements": [
      "/reconciliation/statements?account=sandbox",
      `live:/reconciliation/statements?account=${bankAccountId}`,
    ],
    "/reconciliation/matches/:id": [`/reconciliation/matches/${reconciled.matchId}`],
    "/reconciliation/fees/:account": [
      "/reconciliation/fees/sandbox",
      `live:/reconciliation/fees/${cardAccountId}`,
    ],
    "/reconciliation/accounts": ["/reconciliation/accounts", "live:/reconciliation/accounts"],
    "/reconciliation/accounts/new": ["/reconciliation/accounts/new", "live:/reconciliation/accounts/new"],
    ...Object.fromEntries(
      ["edit", "import"].map((what) => [
        `/reconciliation/accounts/:id/${what}`,
        [`/reconciliation/accounts/${reconciled.bankAccountId}/${what}`],
      ]),
    ),
    "/webhooks/endpoints/:id": [`/webhooks/endpoints/${failing}`, `/webhooks/endpoints/${well}`],
    ...Object.fromEntries(
      ["edit", "enable", "rotate", "delete"].map((what) => [
        `/webhooks/endpoints/:id/${what}`,
        [`/webhooks/endpoints/${failing}/${what}`],
      ]),
    ),
    "/webhooks/deliveries/:id": Object.values(deliveries.examples).map((id) => `/webhooks/deliveries/${id}`),
    "/keys/:id/rotate": [`/keys/${keyId}/rotate`],
    "/keys/:id/revoke": [`/keys/${keyId}/revoke`],
    "/providers/new/:kind/:profile": ["/providers/new/pix/bacen", "/providers/new/card/pagarme"],
    "/providers/:id": [`/providers/${bankAccountId}`, `/providers/${cardAccountId}`],
    ...Object.fromEntries(
      ["rotate", "verify", "sweep", "retire"].map((what) => [
        `/providers/:id/${what}`,
        [`/providers/${bankAccountId}/${what}`],
      ]),
    ),
    "/providers/:id/unknown/:money/settle": [`/providers/${bankAccountId}/unknown/${unknownId}/settle`],
    "/people/:id": [`/people/${memberId}`],
    ...Object.fromEntries(
      ["role", "remove", "reset"].map((what) => [`/people/:id/${what}`, [`/people/${memberId}/${what}`]]),
    ),
    "/people/invitations/:id/revoke": [`/people/invitations/${invitationId}/revoke`],
    "/settings/entities/:id": [`/settings/entities/${entityId}`],
    "/settings/entities/:id/replace": [`/settings/entities/${entityId}/replace`],
    "": ["", "live:"],
  };
}

function otherScreens(showcase: Showcase): Screen[] {
  const { company, sales, brokenUrl } = showcase;
  const { invitations } = company;
  let count = 0;
  const filled =
    (fields: Readonly<Record<string, string>>): NonNullable<Screen["act"]> =>
    async (page) => {
      for (const [selector, text] of Object.entries(fields)) {
        await page.page.fill(selector, text.replace("{n}", String(++count)));
      }
      await send(page);
    };
  const password = { "#field-password": PASSWORD };
  const url = "https://webhooks.moveis-irmaos-albuquerque.example/paylink/eventos?filial={n}";
  return [
    guest("sign-in", "signin"),
    guest("sign-in-ended", "signin?ended=1"),
    guest("sign-in-refused", "signin", send),
    guest("invitation", `invitations/${invitations.new}`),
    guest("invitation-refused", `invitations/${invitations.new}`, send),
    guest("invitation-known", `invitations/${invitations.known}`),
    guest("invitation-known-anew", `invitations/${invitations.known}?account=new`),
    guest("reset", `invitations/${invitations.reset}`),
    guest("invitation-gone", `invitations/${"x".repeat(43)}`),
    guest("forgotten", "reset"),
    guest("forgotten-refused", "reset", send),
    guest("forgotten-sent", "reset", filled({ "#field-email": "pessoa-{n}@moveis.example" })),
    guest("forgotten-reset", `reset/${showcase.resetToken}`),
    guest("forgotten-reset-refused", `reset/${showcase.resetToken}`, send),
    guest("forgotten-reset-gone", `reset/${"x".repeat(43)}`),
    guest("form-refused-of-guest", "signin", sendWithoutToken),
    { ...screenAt("form-refused", "test", "/links/new"), act: sendWithoutToken },
    { ...guest("error", ""), address: `${brokenUrl}/console/signin` },
    screenAt("no-such-page", "test", "/nothing/at/all"),
    screenAt("not-found", "test", "/payments/pay_00000000000000000000000000"),
    screenAt("forbidden", "test", "/keys", "viewer"),
    screenAt("viewer-payment", "test", `/payments/${sales.payments.card}`, "viewer"),
    ...[
      "",
      "/links",
      "/links/new",
      "/quotes",
      "/payments",
      "/close",
      "/media",
      "/webhooks",
      "/providers",
      "/audit",
    ].map((path) => screenAt(`empty${path.replaceAll("/", "-")}`, "live", path, "newcomer")),
    { ...screenAt("key-made", "test", "/keys/new"), act: filled({ "#field-name": "Loja {n}", ...password }) },
    {
      ...screenAt("endpoint-made", "test", "/webhooks/new"),
      act: filled({ "#field-url": url, ...password }),
    },
    {
      ...screenAt("user-invited", "test", "/people/invite"),
      act: filled({ "#field-email": "convite-{n}@moveis-irmaos-albuquerque.example", ...password }),
    },
    { ...screenAt("link-refused", "test", "/links/new"), act: send },
    ...bankFileScreens(showcase),
    {
      ...screenAt("settings-profile-refused", "test", "/settings/profile"),
      act: filled({ "#field-color": "x" }),
    },
  ];
}

/** A bank's file as it is shown before its import, and one that is refused. */
function bankFileScreens({ reconciled: { bankAccountId } }: Showcase): Screen[] {
  const path = `/reconciliation/accounts/${bankAccountId}/import`;
  return [
    { ...screenAt("bank-file-shown", "test", path), act: showsFile("1599.37") },
    { ...screenAt("bank-file-refused", "test", path), act: showsFile("1599,3x") },
  ];
}

/** Chooses a bank's file with one line of this amount, and waits for what it has. */
function showsFile(amount: string): NonNullable<Screen["act"]> {
  const line: BankRow = ["2026-11-04", 159_937n, "PIX RECEBIDO", "1"];
  const content = ofx([line]).replace("1599.37", amount);
  const file = { name: "extrato-de-novembro.ofx", mimeType: "text/plain", buffer: Buffer.from(content) };
  return async ({ page }) => {
    await page.setInputFiles("#field-content", file);
    await page.waitForSelector("#preview table");
  };
}

/** Sends the page's form, whatever the browser itself would say of it. */
async function send(page: PayerPage): Promise<void> {
  await page.page.evaluate("document.querySelectorAll('form').forEach((one) => (one.noValidate = true))");
  await page.follow(SENDS);
}

/** Sends the page's form as another site would, which has no token for it. */
async function sendWithoutToken(page: PayerPage): Promise<void> {
  await page.page.evaluate(
    `document.querySelectorAll("[name=${TOKEN_FIELD}]").forEach((one) => one.remove())`,
  );
  await send(page);
}

function modeOf(path: string): "live" | "test" {
  return LIVE.test(path) ? "live" : "test";
}

function nameOf(path: string, index: number): string {
  const words = path.replaceAll("/:", "/").split("/").filter(Boolean).join("-");
  return `${words || "home"}${index > 0 ? `-${index + 1}` : ""}`;
}

function screenAt(name: string, mode: "live" | "test", path: string, who: Who = "owner"): Screen {
  const [at, of] = path.startsWith("live:") ? [path.slice("live:".length), "live"] : [path, mode];
  return { name: `console/${name}`, who, address: `/console/${of}${at}` };
}

function guest(name: string, path: string, act?: Screen["act"]): Screen {
  const screen: Screen = { name: `console/${name}`, who: "guest", address: `/console/${path}` };
  return act ? { ...screen, act } : screen;
}

import { expect, test } from "vitest";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { CardNumbers } from "../live-cards/canary-cards.ts";
import { createUser } from "../support/console.ts";
import { CORE_TOKEN, DATA_KEY } from "../support/core-options.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startProcess } from "../support/process.ts";
import { startReceiver } from "../support/receiver.ts";
import { startService } from "../support/service.ts";
import { PASSWORD, Users } from "../support/users.ts";
import { formsOn, isTyped, linksOn, patternOf, type FoundField, type FoundForm } from "./form-walk.ts";

/** What makes a form whole, by the field's name, else by its type. */
const PLAUSIBLE: Readonly<Record<string, string>> = {
  color: "#7a1f5c",
  tax_id: "11222333000181",
  contact: "loja@example.test",
  password: PASSWORD,
  amount: "10,00",
  name: "Loja",
  expires_in: "60",
  email: "bia@example.test",
  url: "https://example.com/hook",
  number: "1",
  date: "2027-01-04",
  month: "2027-01",
};

const canaries = new CardNumbers();
const service = await forFile(startService());
const receiver = await forFile(startReceiver());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const merchant = await createMerchant(service);
const users = new Users(service);
const user = await createUser(service, merchant.tenant.id, "owner");
await createUser(service, merchant.tenant.id, "viewer");
const invitation = await users.invite(merchant.tenant.id, Role.VIEWER);
const { totpSecret = "" } = await users.invitation(invitation);
await merchant.webhooks.createWebhookEndpoint({ url: receiver.url }, merchant.as);
const linkId = await merchant.newLink();
await merchant.simulate(linkId);
await merchant.newLink({ expires_in: 3600 });
await merchant.api.post("/v1/quotes", { amount: 500, currency: "BRL", payment_method: "pix" });

const folder = await makeDataFolder();
const running = await startProcess(folder.path, {
  DATABASE_URL: service.databaseUrl,
  DATA_KEY: DATA_KEY.toString("base64"),
  CORE_TOKEN,
  PAYLINK_SEED: "none",
  PROVIDER_ALLOW_LOOPBACK: "true",
  WEBHOOK_ALLOW_LOOPBACK: "true",
  CONSOLE_ALLOW_HTTP: "true",
  LOG_LEVEL: "trace",
});
await forFile(
  Promise.resolve({
    close: async () => {
      await running.end("SIGKILL");
      await folder.remove();
    },
  }),
);

// Each provider has a form. Those with the same fields are one.
const NEW_ACCOUNT = /\/providers\/new\/\w+\/\w+$/;

/** A browser of a user who is signed in, or of a guest. */
class Visitor {
  readonly #cookies: Map<string, string>;

  constructor(sessionToken?: string) {
    this.#cookies = new Map(sessionToken === undefined ? [] : [["paylink_session", sessionToken]]);
  }

  async send(path: string, init: RequestInit = {}): Promise<{ status: number; head: string; body: string }> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    // What pages ask for while a user types is a part of a page.
    const part = path.includes("/prices?") ? { "hx-request": "true" } : {};
    const headers = { cookie, origin: running.baseUrl, ...part };
    const answer = await fetch(running.baseUrl + path, { redirect: "manual", ...init, headers });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      this.#cookies.set(name, value);
    }
    const head = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    return { status: answer.status, head, body: await answer.text() };
  }

  /** The forms of the pages that these lead to, one page of each kind, and all that the pages say. */
  async walk(starts: readonly string[]): Promise<{ forms: FoundForm[]; text: string }> {
    const seen = new Map(starts.map((path) => [patternOf(path), path]));
    const forms = new Map<string, FoundForm>();
    const texts: string[] = [];
    for (const [, path] of seen) {
      const { body } = await this.send(path);
      texts.push(body);
      for (const link of linksOn(body)) {
        if (!seen.has(patternOf(link))) seen.set(patternOf(link), link);
      }
      for (const form of formsOn(path, body)) {
        const names = form.fields.map(({ name }) => name).join();
        const action = patternOf(form.action)
          .replace("/live/", "/test/")
          .replace(NEW_ACCOUNT, "/providers/new");
        forms.set(`${form.method} ${action} ${names}`, form);
      }
    }
    return {
      forms: [...forms.values()].filter(({ fields }) => fields.some(isTyped)),
      text: texts.join("\n"),
    };
  }

  /** Sends the form as a browser does, whole, but for one field. */
  async submit(form: FoundForm, changed?: FoundField, typed = "") {
    const isSent = ({ name, type, isChosen }: FoundField): boolean =>
      isChosen || (type !== "checkbox" && type !== "file" && (type !== "radio" || name === "role"));
    const values = form.fields.flatMap((field, index) => {
      if (field === changed) return [[field.name, typed] as const];
      return isSent(field) ? [[field.name, plausible(field, index)] as const] : [];
    });
    const query = new URLSearchParams(values.map(([name, value]) => [name, value]));
    if (form.method === "get") return await this.send(`${form.action.split("?")[0]}?${query.toString()}`);
    return await this.send(form.action, { method: "POST", body: query });
  }
}

function plausible({ name, type, value }: FoundField, index: number): string {
  if (name === "code") return users.codeOf(totpSecret);
  if (name === "form_id") return crypto.randomUUID();
  if (name.startsWith("metadata")) return `own ${index}`;
  return value === "" ? (PLAUSIBLE[name] ?? PLAUSIBLE[type] ?? "") : value;
}

/** New numbers, as they may stand in the field: alone, in groups of four, and in an address. */
function numbersFor(form: FoundForm, { name, type }: FoundField): string[] {
  const place = `${form.method} ${patternOf(form.action)} ${name}`;
  const [alone, grouped] = [card(place), inGroups(card(`${place}, grouped`))];
  canaries.keep(`${place}, in groups`, grouped);
  if (type === "email") return [`${alone}@example.test`, grouped];
  return [/url|images/.test(name) ? `https://example.com/${alone}` : alone, grouped];
}

// A merchant's own references may look like a card's number.
const isChecked = ({ method }: FoundForm, { name }: FoundField): boolean =>
  method === "get" || (name !== "reference" && name !== "product_ref");

const card = (place: string): string => canaries.card(place);
const inGroups = (digits: string): string => digits.replaceAll(/(.{4})(?=.)/g, "$1 ");

/** The numbers that are in the text, whatever is between their groups. */
function found(text: string): string[] {
  return canaries.foundIn(`${text}\n${text.replaceAll(/(?<=\d{4})(?:[ +._-]|%20)(?=\d{4})/g, "")}`);
}

test("a card number in any field of any form of the console is neither stored nor logged nor told", async () => {
  const owner = new Visitor(user.sessionToken);
  const guest = new Visitor();
  const starts = ["/console/test", "/console/live"];
  const walks = [
    [owner, (await owner.walk(starts)).forms],
    [guest, (await guest.walk(["/console/signin", `/console/invitations/${invitation}`])).forms],
  ] as const;
  const each = walks.flatMap(([visitor, forms]) => forms.map((form) => ({ visitor, form })));
  // A form that is refused is shown again with what was typed, on that answer alone; its headers have none of it.
  const heads: string[] = [];
  const taken: string[] = [];
  await Promise.all(
    each.map(async ({ visitor, form }) => {
      for (const field of form.fields.filter((one) => isTyped(one) && isChecked(form, one))) {
        for (const number of numbersFor(form, field)) {
          const { status, head } = await visitor.submit(form, field, number);
          heads.push(head);
          const isExpected = form.method === "post" ? status === 422 : status === 200 || status === 422;
          if (!isExpected) taken.push(`${status} ${form.action} ${field.name}`);
        }
      }
    }),
  );
  // Without a number each is taken, but for the forms of other addresses and of secrets that this test has not.
  const refused: string[] = [];
  for (const { visitor, form } of each) {
    const { status } = await visitor.submit(form);
    if (status !== 200 && status !== 303) refused.push(form.action);
  }
  expect([...new Set(refused.map((action) => action.replace(NEW_ACCOUNT, "/providers/new")))]).toEqual([
    "/console/live/providers/new",
    "/console/signin",
  ]);
  const { text } = await owner.walk(starts);
  await running.end("SIGTERM");
  expect(running.output()).toContain("/console/:mode/links/new");
  expect({
    taken,
    answered: found(heads.join("\n")),
    shown: found(text),
    logged: found(running.output()),
    told: found(JSON.stringify(receiver.received)),
    stored: found(await rows.allTexts()),
  }).toEqual({ taken: [], answered: [], shown: [], logged: [], told: [], stored: [] });
});

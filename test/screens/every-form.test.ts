import { describe, expect, test } from "vitest";
import { consoleScreens } from "../../tools/screens/console-screens.ts";
import { openShowcase } from "../../tools/screens/showcase.ts";
import { hasBrowser } from "../support/browser.ts";
import { ConsoleClient } from "../support/console.ts";
import { forFile } from "../support/for-file.ts";
import { formsOn, patternOf } from "../console/form-walk.ts";

const MINUTES_MS = 240_000;
const FORM = /<form\b([^>]*method="post"[^>]*)>([\s\S]*?)<\/form>/g;
const INPUT = /<(?:input|textarea)\b([^>]*)>/g;
/** A count belongs to a unit, without which the unit is what is wrong. */
const CHOSEN: Readonly<Record<string, string>> = { expires_unit: "days" };
/** An intent has an amount of its own: what else is typed is not read. */
const LEFT_OUT = new Set(["payment_intent_id"]);

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(tag)?.[1];

/** Returns a text that a field cannot have, or undefined if it takes every text. */
function wrongFor(tag: string): string | undefined {
  const type = attribute(tag, "type");
  const longest = Number(attribute(tag, "maxlength") ?? 0);
  if (/\srequired\b/.test(tag)) return "";
  if (type === "url" || type === "email") return "no address";
  if (attribute(tag, "inputmode") !== undefined) return "x";
  return longest > 0 ? "y".repeat(longest + 1) : undefined;
}

/** Returns the fields of a form that can be wrong by themselves, each with a text that is. */
function wrongFields(content: string): Map<string, string> {
  return new Map(
    [...content.matchAll(INPUT)].flatMap(([, tag = ""]) => {
      const [name, type] = [attribute(tag, "name") ?? "", attribute(tag, "type") ?? "text"];
      const isTyped =
        !["hidden", "checkbox", "radio", "file", "search"].includes(type) && !/\sreadonly\b/.test(tag);
      const wrong = wrongFor(tag);
      return name === "" || !isTyped || wrong === undefined || LEFT_OUT.has(name)
        ? []
        : [[name, wrong] as const];
    }),
  );
}

/** The form of a page with all its fields as they are, and those that can be wrong. */
interface FoundForm {
  readonly action: string;
  readonly sent: Readonly<Record<string, string | string[]>>;
  readonly wrong: ReadonlyMap<string, string>;
}

function postForms(address: string, body: string): FoundForm[] {
  const found = formsOn(address, body).filter(({ method }) => method === "post");
  return [...body.matchAll(FORM)].flatMap(([, tag = "", content = ""]) => {
    const action = attribute(tag, "action") ?? address;
    const fields = found.find((form) => form.action === action)?.fields ?? [];
    const kept = fields.filter(({ type, isChosen }) => isChosen || (type !== "checkbox" && type !== "radio"));
    const grouped = Map.groupBy(kept, ({ name }) => name);
    const sent = Object.fromEntries(
      [...grouped].map(([name, same]) => [name, same.map(({ value }) => value)]),
    );
    const wrong = wrongFields(content);
    return wrong.size < 2
      ? []
      : [{ action, sent: { ...sent, ...CHOSEN, ...Object.fromEntries(wrong) }, wrong }];
  });
}

describe.runIf(hasBrowser)("every form with several fields", { timeout: MINUTES_MS }, async () => {
  const showcase = await forFile(openShowcase());
  const { service, baseUrl } = showcase.pages;
  const owner = new ConsoleClient(service, showcase.company.users.owner);
  const origin = { origin: baseUrl };
  const screens = consoleScreens(showcase).filter(
    ({ act, who }) => !act && (who === "owner" || who === "guest"),
  );

  test("of the console names each wrong field at once, with what is wrong in it", async () => {
    const seen = new Map<string, string[]>();
    const missed: string[] = [];
    for (const { address, who } of screens) {
      if (!address.startsWith("/")) continue;
      const client = who === "owner" ? owner : new ConsoleClient(service);
      const { body } = await client.get(address);
      for (const { action, sent, wrong } of postForms(address, body)) {
        const pattern = patternOf(action).replace(/reset\/[\w-]{43}/, "reset/:token");
        if (seen.has(pattern) && who === "owner") continue;
        seen.set(pattern, [...wrong.keys()]);
        await showcase.forgetAttempts();
        const answer = await client.send(action, sent, origin);
        const unnamed = [...wrong.keys()].filter(
          (name) => !answer.body.includes(`id="field-${name.replaceAll(/[^\w-]/g, "-")}-problem"`),
        );
        if (answer.statusCode !== 422 || unnamed.length > 0)
          missed.push(`${action} ${answer.statusCode}: ${unnamed.join(", ")}`);
      }
    }
    expect(missed).toEqual([]);
    expect(Object.fromEntries(seen)).toMatchObject({
      "/console/test/links/new": expect.arrayContaining(["amount", "description", "expires_in"]),
      "/console/test/quotes/:id/accept": expect.arrayContaining(["name", "payer_country", "expires_in"]),
      "/console/test/payments/:id/refund": ["amount", "reason", "password"],
      "/console/test/people/invite": ["email", "password"],
      "/console/test/account/password": ["password", "new_password", "again"],
      "/console/live/providers/new/pix/bacen": expect.arrayContaining([
        "client_id",
        "client_secret",
        "pix_key",
        "base_url",
        "password",
      ]),
      "/console/signin": ["email", "password", "code"],
      "/console/reset/:token": ["password", "code"],
    });
    expect(seen.size).toBeGreaterThan(15);
  });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readSettings } from "../../cli/commands/provider-config.ts";
import { PROFILES } from "../../src/providers/api-pix/profiles.ts";
import { toProvider } from "../../src/provider-accounts/mapping.ts";
import { offeredProviders } from "../../src/providers/registry.ts";
import { faultOf } from "../support/command-line.ts";
import { commandsOf } from "../support/markdown.ts";

const root = join(import.meta.dirname, "..", "..");
const page = readFileSync(join(root, "docs", "go-live.md"), "utf8");
const commands = commandsOf(page);
const lines = commands.flatMap((command) => {
  const joined = command.replaceAll(/\\\n\s*/g, "");
  const [, line] = /npx (paylink [^|)]+)/.exec(joined) ?? [];
  return line === undefined ? [] : [line.trim()];
});

describe("docs/go-live.md", () => {
  test.each(lines)("%s would run", (line) => {
    expect(faultOf(line)).toBeNull();
  });

  test("every command is one of paylink, or of a tool that everybody has", () => {
    const others = commands.filter((command) => !command.includes("npx paylink"));
    const first = others.map((command) => command.replace(/^\w+=\$\(|^\w+=\S+ /, "").split(" ", 1)[0]);
    expect(new Set(first)).toEqual(
      new Set(["umask", "openssl", "rm", "curl", "TZ=America/Sao_Paulo", "npm"]),
    );
  });

  test("every command in a sentence is there", () => {
    const named = [
      ...page.matchAll(/`(?:npx )?((?:paylink|providers|payments|ledger) [a-z][a-z ]*)(?:--|`)/g),
    ];
    const words = new Set(named.map(([, line = ""]) => line.trim().replace(/^paylink /, "")));
    expect(words.size).toBeGreaterThan(4);
    for (const line of words) {
      const fault = faultOf(`paylink ${line}`);
      expect([line, fault]).toEqual([line, expect.not.stringMatching(/no command|no option/)]);
    }
  });

  test("its config is read, and its profiles are those that there are", async () => {
    const [pix = "", ...cards] = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, json = ""]) => json);
    const read = async () => await Promise.resolve(Buffer.from([0x30]));
    const of = (profile: string) =>
      offeredProviders()
        .filter((one) => one.profile === profile)
        .map(toProvider);
    expect(await readSettings(pix, of("efi"), read)).toMatchObject({ certificate: "data:;base64,MA==" });
    for (const [index, profile] of ["asaas", "pagarme"].entries()) {
      expect(Object.keys(await readSettings(cards[index] ?? "", of(profile), read)).length).toBeGreaterThan(
        2,
      );
    }
    for (const name of PROFILES.keys()) expect(page).toContain(`\`${name}\``);
  });

  test("each bank has a section, and its own settings are named there", () => {
    const [, ways = ""] = page.split("\n## The ways of each bank\n");
    const sections = (ways.split("\n## ")[0] ?? "").split("\n### ").slice(1);
    const banks = [...PROFILES.values()].filter(({ base }) => base !== null);
    for (const { name, headers, query } of banks) {
      const own = Object.values({ ...headers, ...query }).filter((field) => /app_key|account/.test(field));
      const section = sections.find((text) => text.includes(`Profile \`${name}\``));
      for (const field of own)
        expect([name, section]).toEqual([name, expect.stringContaining(`\`${field}\``)]);
      expect([name, section]).toEqual([name, expect.any(String)]);
    }
    expect(sections).toHaveLength(banks.length);
  });

  test("says the steps that prove an account", () => {
    for (const heading of [
      "What to ask of the bank",
      "Certificates",
      "One real payment of R$ 0.01",
      "Its refund",
      "One lost callback, on purpose",
      "What only a live account can prove",
    ]) {
      expect(page).toContain(`\n## ${heading}\n`);
    }
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { reasonText } from "../../gateway/console/reconciliation/reasons.ts";

const FOLDER = new URL("../../src/reconciliation/bank-files/", import.meta.url);
const REASONS = /(?:reject\([^`"]*|UnreadableFile\(\s*)(?:`([^`]*)`|"([^"]*)")/g;

/** The reasons that readers of banks' files give, each with an example in place of its values. */
const reasons = readdirSync(FOLDER).flatMap((name) =>
  Array.from(
    readFileSync(new URL(name, FOLDER), "utf8").matchAll(REASONS),
    ([, template, text]) => text ?? exampleOf(template ?? ""),
  ),
);

function exampleOf(template: string): string {
  return template
    .replace("${label}", "transaction 3")
    .replace("${day}", "2036-11-03")
    .replaceAll(/\$\{(?:quoted|amountTexts)[^}]*\}/g, '"abc"')
    .replaceAll(/\$\{[^}]*\}/g, "7");
}

test("each reason for which a line is not taken has words in Portuguese", () => {
  expect(reasons.length).toBeGreaterThan(30);
  const same = reasons.filter((reason) => reasonText({ language: "pt-BR" }, reason) === reason);
  expect(same).toEqual([]);
  expect(reasonText({ language: "pt-BR" }, "2036-11-03 is after today")).toBe("03/11/2036 é depois de hoje");
  expect(reasonText({ language: "en" }, "2036-11-03 is after today")).toBe("2036-11-03 is after today");
});

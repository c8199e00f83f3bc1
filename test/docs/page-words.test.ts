import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const FOLDERS = ["gateway/checkout", "gateway/console", "gateway/pages", "contract", "src/mail"];
const TEXT = String.raw`"((?:[^"\\]|\\.)*)"`;
const MESSAGE = new RegExp(String.raw`^\s+"?([\w.:]+)"?: \[\s*${TEXT},\s*${TEXT},?\s*\]`, "gm");
const HEADING = "## Words on pages";

interface Message {
  readonly place: string;
  readonly portuguese: string;
  readonly english: string;
}

/** The messages of both languages and other texts like them, as their files have them. */
const messages: readonly Message[] = FOLDERS.flatMap((folder) =>
  globSync(`${folder}/**/*.ts`).flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(MESSAGE)].map(([, key, ...texts]) => {
      // A placeholder's name is not read by users.
      const [portuguese = "", english = ""] = texts.map((text) => text.replaceAll(/\{\w+\}/g, "…"));
      return { place: `${file} ${key}`, portuguese, english };
    }),
  ),
);

/** The rows of the list: a term in both languages, and the words that are not used for it. */
const [, section = ""] = readFileSync("docs/glossary.md", "utf8").split(HEADING);
const terms = [...section.matchAll(/^\| (.+?) \| (.+?) \| (.+?) \|$/gm)]
  .map(([, portuguese = "", english = "", never = ""]) => ({ portuguese, english, never: never.split(", ") }))
  .filter(({ portuguese }) => portuguese !== "Portuguese");

/** Returns whether a text has a word; one with a capital letter as it is written, others in any case. */
function has(text: string, word: string): boolean {
  const isExact = /\p{Lu}/u.test(word);
  const escaped = word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`(?<![\\p{L}-])${escaped}(?![\\p{L}-])`, isExact ? "u" : "iu").test(text);
}

/** Returns what is wrong with a message: a second word for a term, or a label whose translation is another term's. */
function faultsOf({ place, portuguese, english }: Message): string[] {
  return terms.flatMap((term) => {
    const second = term.never.filter((word) => has(portuguese, word) || has(english, word));
    const isOther =
      portuguese.toLowerCase() === term.portuguese.toLowerCase() &&
      english.toLowerCase() !== term.english.toLowerCase();
    return [
      ...second.map((word) => `${place}: "${word}" for ${term.portuguese}, ${term.english}`),
      ...(isOther ? [`${place}: "${english}" for ${term.portuguese}`] : []),
    ];
  });
}

test("no message of checkout and console has a second word for a term of the list", () => {
  expect(messages.length).toBeGreaterThan(1200);
  expect(terms.length).toBeGreaterThan(20);
  expect(messages.flatMap(faultsOf)).toEqual([]);
});

/** Words that were read twice, in the words of the people who read them; the list of terms has the others. */
const READ_TWICE = [
  "Sucesso por meio",
  "Success by method",
  "Do devolvido ao que fica a seu cargo",
  "Seu líquido dos pagos",
  "a sessão do pagador fixa os dele",
  "Enviar duas vezes não cria dois links",
  "Não ficam reservados",
  "To come",
  "Tell methods apart",
  "Webhooks' delivery",
  "Days to seal",
  "… não recebe. Tentativas",
  "… does not receive",
  "BRT",
];

test("no message has words that were read twice", () => {
  const found = messages.flatMap(({ place, portuguese, english }) =>
    READ_TWICE.filter((words) => portuguese.includes(words) || english.includes(words)).map(
      (words) => `${place}: ${words}`,
    ),
  );
  expect(found).toEqual([]);
});

test.each([
  ["Chave PIX", "Pix key"],
  ["Taxa", "Fee"],
  ["Situação", "State"],
  ["Sua senha atual", "Password until now"],
  ["Nenhum acontecimento.", "No events."],
  ["Link", "Copy the QR-code"],
])("a second word is found in %j, %j", (portuguese, english) => {
  expect(faultsOf({ place: "here", portuguese, english })).toHaveLength(1);
});

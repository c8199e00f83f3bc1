import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import {
  differences,
  total,
  type BookFigures,
  type MerchantFigures,
} from "../../tools/drills/live-pix/figures.ts";
import { failuresOf, report } from "../../tools/drills/live-pix/report.ts";
import { run, type Result } from "../../tools/drills/live-pix/run.ts";
import { isOfficialFileThere, OfficialFile } from "../api-pix/official-file.ts";
import { cloneDatabase } from "../support/database.ts";
import { runProgram } from "../support/process.ts";
import { times } from "../support/scale.ts";
import { randomFor } from "../support/seed.ts";

const DRILL = join(import.meta.dirname, "..", "..", "tools", "drills", "live-pix", "main.ts");
const EMPTY_CHECKED = 20;
const PAYMENTS = times(30, 20);

let result: Result;
beforeAll(async () => {
  const seed = randomFor("live PIX").integer(0, 2 ** 31 - 1);
  const plan = { seed, payments: PAYMENTS, faultRate: 0.1, atOnce: 10 };
  result = await run((await cloneDatabase()).url, plan);
});

test("books, bank and merchant agree to the centavo, with every tenth answer wrong and half of the callbacks lost", () => {
  expect(result.differences).toEqual([]);
  const { bank, books, merchant, faults, payers } = result;
  expect([...payers.values()].reduce((sum, count) => sum + count, 0)).toBe(PAYMENTS);
  expect(books.successes.size).toBeGreaterThan(PAYMENTS / 3);
  expect(total(bank.money)).toBeGreaterThan(0n);
  expect(merchant.events.length).toBeGreaterThanOrEqual(books.successes.size);
  expect([...faults.values()].filter((count) => count > 0).length).toBeGreaterThan(5);
  expect(result.missing.toSorted()).toEqual(
    [...faults, ...payers, ...result.givenBack]
      .flatMap(([kind, count]) => (count === 0 ? [kind] : []))
      .toSorted(),
  );
  expect(report(result)).toContain(`payment.succeeded  ${String(books.successes.size).padStart(5)}`);
});

describe("a planted difference is found", () => {
  const [firstOf, without] = [
    <Value>(map: ReadonlyMap<string, Value>): string => [...map.keys()][0] ?? "",
    <Value>(map: ReadonlyMap<string, Value>): Map<string, Value> => new Map([...map].slice(1)),
  ];
  const plants: [
    string,
    (books: BookFigures, merchant: MerchantFigures) => [BookFigures, MerchantFigures],
    RegExp,
  ][] = [
    [
      "a success that is nowhere",
      (books, merchant) => [{ ...books, successes: without(books.successes) }, merchant],
      /money at the bank/,
    ],
    [
      "money that two payments have",
      (books, merchant) => {
        const one = books.successes.get(firstOf(books.successes)) ?? { id: "", amountMinor: 0n };
        return [
          { ...books, exceptions: new Map([...books.exceptions, [one.id, one.amountMinor]]) },
          merchant,
        ];
      },
      /in the books twice/,
    ],
    [
      "unknown money of a centavo",
      (books, merchant) => [{ ...books, unknown: new Map([...books.unknown, ["E1", 1n]]) }, merchant],
      /E1 has nothing and 1/,
    ],
    [
      "a return that is not at the bank",
      (books, merchant) => [{ ...books, returns: new Map([...books.returns, ["E1/r", 1n]]) }, merchant],
      /returns at the bank/,
    ],
    [
      "a centavo in provider_clearing",
      (books, merchant) => [{ ...books, clearingMinor: books.clearingMinor + 1n }, merchant],
      /provider_clearing has/,
    ],
    [
      "a callback that was not followed",
      (books, merchant) => [{ ...books, loose: ["callback x still waits"] }, merchant],
      /still waits/,
    ],
    [
      "an event that did not come",
      (books, merchant) => [
        books,
        { ...merchant, events: merchant.events.filter(({ type }) => type !== "payment.succeeded") },
      ],
      /payment\.succeeded/,
    ],
    [
      "an event that came for two successes",
      (books, merchant) => [
        books,
        { ...merchant, events: merchant.events.flatMap((event) => [event, event]) },
      ],
      /succeeded twice/,
    ],
    [
      "a refund that REST does not show",
      (books, merchant) => [{ ...books, refunded: new Map([...books.refunded, ["pay_1", 1n]]) }, merchant],
      /by REST: pay_1/,
    ],
  ];
  test.each(plants)("%s", (_what, plant, found) => {
    const { bank, books, merchant } = result;
    expect(differences(bank, ...plant(books, merchant)).join("\n")).toMatch(found);
  });
});

test("a run of 200 payments fails if a kind never came, and a shorter one does not", () => {
  const ran = { differences: ["a difference"], missing: ["endless"] };
  expect(failuresOf(ran, { payments: 199 })).toEqual(["a difference"]);
  expect(failuresOf(ran, { payments: 200 })).toEqual(["a difference", "endless never came"]);
});

if (!isOfficialFileThere)
  console.warn(
    "The central bank's file is not beside the checkout: the drill's calls are not checked by it.",
  );

// Banks write returns by MED and without times so, and the drill's bank does.
const AS_BANKS_WRITE =
  /pix\/\d+\/devolucoes\/\d+\/(?:status: must be equal to one of the allowed values|horario: must be object)$/;

test.skipIf(!isOfficialFileThere)(
  "the central bank's own file finds nothing in all of its calls but at faults, 401, 429 and returns as banks write them",
  async () => {
    const file = await OfficialFile.read();
    const clean = result.requests.filter(
      ({ call, fault, status }) => call !== "token" && fault === null && status !== 401 && status !== 429,
    );
    // The days of the sweeps are mostly empty, and all alike.
    const [empty, others] = [true, false].map((isEmpty) =>
      clean.filter(({ answer }) => answer.includes('"pix":[]') === isEmpty),
    );
    const checked = [...(others ?? []), ...(empty ?? []).slice(0, EMPTY_CHECKED)];
    expect(checked.length).toBeGreaterThan(PAYMENTS);
    const found = checked.flatMap((one) =>
      file.violations(one).map((text) => `${one.method} ${one.path} ${one.status}: ${text}`),
    );
    expect(found.filter((text) => !AS_BANKS_WRITE.test(text))).toEqual([]);
  },
);

test("the drill explains itself", async () => {
  const help = await runProgram(process.execPath, [DRILL, "--help"], {});
  expect(help).toMatchObject({ code: 0, stderr: "" });
  expect(help.stdout).toContain("Usage: npm run live-pix");
});

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readOptions } from "../../tools/drills/fuzz/options.ts";
import { PARTS } from "../../tools/drills/fuzz/parts.ts";
import { runParts, type Plan, type Result } from "../../tools/drills/fuzz/run.ts";
import { startTarget, type Target } from "../../tools/drills/fuzz/target.ts";
import { alteringProxy, type Passing } from "../support/altering-proxy.ts";
import { cloneDatabase } from "../support/database.ts";
import { runProgram } from "../support/process.ts";
import { times } from "../support/scale.ts";
import { randomFor } from "../support/seed.ts";

const DRILL = join(import.meta.dirname, "..", "..", "tools", "drills", "fuzz", "main.ts");
const RUNS = times(1000, 200);
const BUSY_MACHINE_MS = 300_000;
const FAULTY = { seed: 7, runs: 60, shrinkSeconds: 2 };

let target: Target;
beforeAll(async () => {
  target = await startTarget((await cloneDatabase()).url);
});
afterAll(async () => await target.close());

const failuresOf = (results: readonly Result[]): string[] => results.flatMap(({ failure }) => failure ?? []);

/** With a service of its own: calls of the core change what the model holds for given. */
async function withTarget<Came>(run: (own: Target) => Promise<Came>): Promise<Came> {
  const own = await startTarget((await cloneDatabase()).url);
  try {
    return await run(own);
  } finally {
    await own.close();
  }
}

test(
  "random cases of every kind are answered as the contract says",
  async () => {
    const plan = { seed: randomFor("fuzz").integer(0, 2 ** 31 - 1), runs: RUNS, shrinkSeconds: 15 };
    const results = await withTarget(async (own) => await runParts(own, PARTS, plan));
    expect(failuresOf(results)).toEqual([]);
    expect(results.map(({ part }) => part)).toEqual(["model", "rest", "console", "core", "sockets"]);
    expect(results.reduce((sum, { runs }) => sum + runs, 0)).toBe(RUNS);
    for (const { requests, counts } of results) expect([requests > 0, counts.failed]).toEqual([true, 0]);
  },
  BUSY_MACHINE_MS,
);

/** What one part comes to with a gateway whose answers are altered. */
async function throughProxy(
  name: string,
  alter: (answer: Passing) => Passing | Promise<Passing>,
  plan: Plan = FAULTY,
): Promise<Result> {
  const proxy = await alteringProxy(target.baseUrl, alter);
  try {
    return await partOf(name, { ...target, baseUrl: proxy.baseUrl }, plan);
  } finally {
    proxy.close();
  }
}

async function partOf(name: string, faulty: Target, plan: Plan): Promise<Result> {
  const parts = PARTS.filter((part) => part.name === name);
  const [result] = await runParts(faulty, parts, plan);
  if (!result) throw new Error(`no part ${name}`);
  return result;
}

const isCreated = ({ status }: Passing): boolean => status === 201;
const withText = (answer: Passing, text: string): Passing => ({ ...answer, text });

describe("a planted fault is found", () => {
  const plants: [string, string, (answer: Passing) => Passing | Promise<Passing>, RegExp][] = [
    [
      "a replay with one byte changed",
      "model",
      (answer) =>
        answer.status < 300 && answer.headers["idempotent-replay"] === "true"
          ? withText(answer, answer.text.replace("_0", "_1"))
          : answer,
      /not the first answer/,
    ],
    [
      "a price that is off by one",
      "model",
      (answer) =>
        withText(
          answer,
          answer.text.replace(/"receiver_net":(\d+)/, (_, net) => `"receiver_net":${Number(net) + 1}`),
        ),
      /receiver_net is/,
    ],
    [
      "a refusal that becomes a failure",
      "model",
      (answer) => (answer.status === 400 ? { ...answer, status: 500 } : answer),
      /the service failed/,
    ],
    [
      "an answer without X-Request-Id",
      "rest",
      ({ headers: { "x-request-id": _gone, ...headers }, ...answer }) => ({ ...answer, headers }),
      /no X-Request-Id/,
    ],
    [
      "a text that loses its letters past ASCII",
      "rest",
      (answer) => (isCreated(answer) ? withText(answer, answer.text.replaceAll(/[^ -~]/g, "")) : answer),
      /came back as/,
    ],
    [
      "a row that a refusal leaves",
      "rest",
      async (answer) => {
        if (answer.status >= 400) await target.rows.run("UPDATE identity.tenant SET name = name");
        return answer;
      },
      /identity\.tenant changed by what was refused/,
    ],
  ];
  test.each(plants)("%s, by %s", async (_fault, part, alter, words) => {
    expect((await throughProxy(part, alter)).failure).toMatch(words);
  });

  test("a core that fails, by core and by sockets", async () => {
    const alter = (answer: Passing): Passing => ({ ...answer, status: 500, text: '{"code":"internal"}' });
    await withTarget(async (own) => {
      const proxy = await alteringProxy(`http://${own.core.http1}`, alter);
      const faulty = { ...own, core: { ...own.core, http1: proxy.baseUrl.replace("http://", "") } };
      expect((await partOf("core", faulty, FAULTY)).failure).toMatch(/came to internal/);
      expect((await partOf("sockets", faulty, FAULTY)).failure).toMatch(/answered (?:500|HTTP\/1\.1 500)/);
      proxy.close();
    });
  });

  test("a page that a role opens without the permission, by console", async () => {
    const { service } = target;
    const gateway = Object.create(service.gateway) as typeof service.gateway;
    const inject = async (...given: Parameters<typeof gateway.inject>) => {
      const answer = (await service.gateway.inject(...given)) as unknown as { statusCode: number };
      return answer.statusCode === 403
        ? Object.assign(Object.create(answer) as object, { statusCode: 200 })
        : answer;
    };
    Object.defineProperty(gateway, "inject", { value: inject });
    const faulty = { ...target, service: { ...service, gateway } };
    expect((await partOf("console", faulty, FAULTY)).failure).toMatch(/not 403 but 200/);
  });

  test("and is found again by the seed and path that its failure names", async () => {
    const alter = (answer: Passing): Passing => (answer.status === 404 ? { ...answer, status: 500 } : answer);
    const { failure = "" } = await throughProxy("model", alter);
    const [, seed, path] = /--only model --seed (-?\d+) --path ([\d:]+)/.exec(failure) ?? [];
    const plan = { ...FAULTY, seed: Number(seed), path: path ?? "" };
    const again = await throughProxy("model", alter, plan);
    expect([again.runs, again.failure]).toEqual([1, expect.stringContaining("the service failed: 500")]);
    expect((await throughProxy("model", (answer) => answer, plan)).failure).toBeUndefined();
  });
});

test("the drill explains itself and refuses what it cannot be asked", async () => {
  const help = await runProgram(process.execPath, [DRILL, "--help"], {});
  expect(help).toMatchObject({ code: 0, stderr: "" });
  expect(help.stdout).toContain("Usage: npm run fuzz");
  for (const [args, sentence] of [
    [["--runs", "0"], "--runs takes a whole number from 1 on."],
    [["--only", "pages"], "--only takes model, rest, not pages."],
    [["--path", "1:2"], "--path needs --only with the part that failed."],
    [["--seed", "x"], "--seed takes a number of 32 bits."],
  ] as const)
    expect(() => readOptions(args, ["model", "rest"], 1)).toThrow(sentence);
});

import { execFile } from "node:child_process";
import { glob, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
const VITEST = join(createRequire(import.meta.url).resolve("vitest/package.json"), "..", "vitest.mjs");

/** What `SEED=seed npx vitest run` prints for two tests that draw and fail. */
async function run(seed: string | undefined): Promise<string> {
  const { SEED: _, ...env } = process.env;
  const given = { ...env, ...(seed === undefined ? {} : { SEED: seed }) };
  const { promise, resolve } = Promise.withResolvers<string>();
  const args = [VITEST, "run", "--config", "test/seed/fails.config.ts"];
  execFile(process.execPath, args, { cwd: ROOT, env: given }, (_error, stdout, stderr) =>
    resolve(stripVTControlCharacters(stdout + stderr)),
  );
  return await promise;
}

/** The lines in which the tests say what they drew. */
const drawnIn = (output: string) =>
  output.split("\n").filter((line) => /^(property|numbers|payments): /.test(line));

describe("random inputs", () => {
  let first: string;
  let other: string;
  let seed: string;
  beforeAll(async () => {
    [first, other] = await Promise.all([run(undefined), run("43")]);
    seed = /^SEED=(\d+)$/m.exec(first)?.[1] ?? "";
  });

  test("are the same again by the seed that the run printed, and others by another", async () => {
    const again = await run(seed);
    expect(drawnIn(first)).toHaveLength(3);
    expect(drawnIn(again)).toEqual(drawnIn(first));
    for (const line of drawnIn(other)) expect(drawnIn(first)).not.toContain(line);
  });

  test("are named by their seed where a test fails", () => {
    expect(first).toMatch(
      /Property failed after \d+ tests\n\s*\{ seed: \d+, path: "[\d:]+", endOnFailure: true \}/,
    );
    expect(first).toContain(`{ seed: ${seed}, path:`);
    expect(first).toContain(`Drawn with SEED=${seed}`);
    expect(other).toContain("{ seed: 43, path:");
    expect(other).toContain("Drawn with SEED=43");
  });

  test("begin at a property's failing case where the seed has its path", async () => {
    const [, path = ""] = /seed: \d+, path: "([\d:]+)"/.exec(first) ?? [];
    const [property, ...others] = drawnIn(await run(`${seed},${path}`));
    expect(property).toBe("property: [1000]");
    expect(others).toEqual(drawnIn(first).slice(1));
  });

  test("are none where the seed is no seed", async () => {
    expect(await run("yesterday")).toContain("SEED is a whole number up to 2147483647");
  });

  test("are drawn from nothing else", async () => {
    const files = await Array.fromAsync(glob("test/**/*.ts", { cwd: ROOT, exclude: ["**/node_modules"] }));
    const texts = await Promise.all(
      files.map(async (file) => [file, await readFile(join(ROOT, file), "utf8")]),
    );
    const others = texts
      .filter(([, text]) => /Math\.random\(|\brandomInt\(/.test(text ?? ""))
      .map(([file]) => file);
    expect(others).toEqual(["test/support/seed.ts"]);
  });
});

import { afterAll, expect, test } from "vitest";
import { CORE_TOKEN, DATA_KEY } from "../support/core-options.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { forFile } from "../support/for-file.ts";
import { startOlinda } from "../support/olinda.ts";
import { runCommand, startProcess } from "../support/process.ts";
import { startService } from "../support/service.ts";

const olinda = await forFile(startOlinda());
// Far from the seed's rate, and older.
olinda.publish(timeOf(Date.now() - 3_600_000), "8.10000");
const folder = await makeDataFolder();
afterAll(async () => await folder.remove());
const seeded = await forFile(startService());
const service = await startProcess(folder.path, {
  DATABASE_URL: seeded.databaseUrl,
  CORE_TOKEN,
  DATA_KEY: DATA_KEY.toString("base64"),
  FX_SOURCE: "ptax",
  PTAX_URL: olinda.url,
  PROVIDER_ALLOW_LOOPBACK: "true",
});
afterAll(async () => await service.end("SIGTERM"));

/** A time as the central bank writes it. */
function timeOf(unixMs: number): string {
  const zoned = Temporal.Instant.fromEpochMilliseconds(unixMs).toZonedDateTimeISO("America/Sao_Paulo");
  return zoned.toPlainDateTime().toString({ fractionalSecondDigits: 3 }).replace("T", " ");
}

async function json(...args: string[]) {
  const { code, stdout, stderr } = await runCommand([...args, "--json"], service.env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

async function ratesFinding(): Promise<{ status: string; found: string; advice: string | null }> {
  const { stdout } = await runCommand(["doctor", "--json"], service.env);
  const findings = JSON.parse(stdout) as { check: string; status: string; found: string; advice: string }[];
  const found = findings.filter(({ check }) => check === "rates");
  expect(found).toHaveLength(1);
  return found[0] as (typeof findings)[number];
}

test("a rate that jumped is listed, found by the doctor, and released by its id", async () => {
  await expect.poll(async () => (await json("fx", "held")).length, { timeout: 10_000 }).toBe(1);
  const [held] = await json("fx", "held");
  expect(held).toMatchObject({ spot: "8.100000", last: "5.432100", jump_ppm: 491_136, source: "ptax" });
  expect(await ratesFinding()).toMatchObject({
    status: "warning",
    found: "1 fetched rate is held: a jump of more than 5 %, or a bank day's second",
    advice: expect.stringContaining("paylink fx release ID"),
  });
  expect(await json("fx", "show", "--mode", "live")).toMatchObject({
    source: "manual",
    held: 1,
    feed: "ptax",
  });
  expect(service.output()).toContain("a rate jumped: it is held until a release");
  const metrics = await fetch(`http://127.0.0.1:${service.env["METRICS_PORT"]}/metrics`);
  expect(await metrics.text()).toContain("paylink_fx_held_rates");

  expect(await json("fx", "release", held.id)).toEqual({ id: held.id });
  expect(await json("fx", "held")).toEqual([]);
  // The rate of the seed is younger than the bulletin, and stays.
  expect(await json("fx", "show", "--mode", "live")).toMatchObject({
    source: "manual",
    held: 0,
    feed_failures: 0,
    feed_failure: null,
  });
  expect(await ratesFinding()).toMatchObject({
    status: "ok",
    found: expect.stringMatching(/^live: 5\.432100 from manual, 0 h of \d+ h old$/),
  });
  const again = await runCommand(["fx", "release", held.id], service.env);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("No such rate is held")]);
});

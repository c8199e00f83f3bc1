import { afterEach, describe, expect, test } from "vitest";
import { Metrics } from "../../cli/observe/metrics.ts";
import { RateMetrics } from "../../cli/observe/rate-metrics.ts";
import { Registry } from "prom-client";
import { startScene } from "../support/live-rates.ts";
import { startOlinda, type Olinda } from "../support/olinda.ts";
import { secondService, type ServiceSettings } from "../support/service.ts";

const ENDS: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ENDS.splice(0).toReversed()) await end();
});

const start = async (settings: ServiceSettings = {}) => await startScene(ENDS, settings);

describe("several workers", () => {
  test("ask once a minute together, and record a bulletin once", async () => {
    const scene = await start();
    const settings = { ptax: { url: scene.olinda.url, maxAgeSeconds: 60 }, allowLoopbackProviders: true };
    const second = await secondService(scene.service, settings);
    ENDS.push(() => second.close());
    scene.olinda.publish("2031-03-07 13:10:00.1", "5.44");
    const round = async () =>
      await Promise.all([scene.service.core, second.core].map((core) => core.tasks.fetchRate()));
    scene.at("2031-03-07T14:00:00");
    await round();
    scene.at("2031-03-07T14:00:59");
    await round();
    expect(scene.olinda.asked).toHaveLength(1);
    scene.at("2031-03-07T14:01:00");
    await round();
    expect(scene.olinda.asked).toHaveLength(2);
    expect((await scene.rate()).spot?.source).toBe("ptax");
  });

  test("that stop do not wait for an answer", async () => {
    const scene = await start();
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    scene.olinda.answer(() => resolve());
    const worker = scene.service.core.startWorker();
    await asked;
    await worker.stop();
    expect(scene.codes()).toEqual([]);
  });
});

describe("an answer that cannot be used leaves the rate as it was:", () => {
  const LIMITS = { connectMs: 500, answerMs: 200 };

  test.each<[string, (olinda: Olinda) => void, unknown]>([
    ["a page", (olinda) => olinda.answer((response) => void response.end("<html>Erro</html>")), "no_json"],
    ["a failure", (olinda) => olinda.answer((response) => void response.writeHead(503).end()), "status_503"],
    [
      "a redirection",
      (olinda) =>
        olinda.answer((response) => void response.writeHead(302, { location: `${olinda.url}/x` }).end()),
      "status_302",
    ],
    ["a lost connection", (olinda) => olinda.answer((response) => void response.destroy()), "und_err_socket"],
    ["none in time", (olinda) => olinda.answer(() => undefined), expect.stringMatching(/timeout/)],
    [
      "one without end",
      (olinda) => olinda.answer((response) => void response.end(" ".repeat(17 * 1024))),
      "und_err_res_exceeded_max_size",
    ],
    ["1e1", (olinda) => olinda.publish("2031-03-07 13:10:00", "1e1"), "bad_number"],
    ["a zone", (olinda) => olinda.publish("2031-03-07 13:10:00Z", "5.44"), "bad_time"],
    ["a later time", (olinda) => olinda.publish("2031-03-07 14:05:01", "5.44"), "in_future"],
  ])("%s", async (_what, prepare, code) => {
    const olinda = await startOlinda();
    ENDS.push(() => olinda.close());
    prepare(olinda);
    const scene = await start({ ptax: { url: olinda.url, maxAgeSeconds: 60, limits: LIMITS } });
    await scene.askAt("2031-03-07T14:00");
    const { spot, feed } = await scene.rate();
    expect(feed).toMatchObject({ failureCount: 1, failure: code });
    expect([spot?.source, feed?.answeredAt]).toEqual(["manual", undefined]);
    expect(scene.codes()).toEqual([code]);
  });

  test("it is asked for again after 1, 2, 4, 8 and 15 minutes, and an answer ends that", async () => {
    const scene = await start();
    scene.olinda.answer((response) => void response.writeHead(500).end());
    scene.at("2031-03-07T14:00");
    const { clock, core } = scene.service;
    await core.tasks.fetchRate();
    for (const [index, seconds] of [60, 120, 240, 480, 900, 900].entries()) {
      clock.advance(seconds - 1);
      await core.tasks.fetchRate();
      expect(scene.olinda.asked).toHaveLength(index + 1);
      clock.advance(1);
      await core.tasks.fetchRate();
      expect(scene.olinda.asked).toHaveLength(index + 2);
    }
    expect(scene.codes()).toEqual(Array.from({ length: 7 }, () => "status_500"));
    scene.olinda.answer(undefined);
    clock.advance(900);
    await core.tasks.fetchRate();
    expect((await scene.rate()).feed).toMatchObject({ failureCount: 0 });
    expect((await scene.rate()).feed?.failure).toBeUndefined();
    clock.advance(60);
    await core.tasks.fetchRate();
    expect(scene.olinda.asked).toHaveLength(9);
  });
});

describe("an address that is not the internet's is not asked:", () => {
  test.each(["loopback by its number", "a name that leads to loopback", "http"])("%s", async (what) => {
    const olinda = await startOlinda();
    ENDS.push(() => olinda.close());
    const { port } = new URL(olinda.url);
    const url =
      what === "http"
        ? "http://ptax.example.test"
        : `https://${what.startsWith("a name") ? "ptax.example.test" : "127.0.0.1"}:${port}/odata`;
    const scene = await start({
      ptax: { url, maxAgeSeconds: 60 },
      allowLoopbackProviders: false,
      lookup: (_name, { all }, callback) =>
        all ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4),
    });
    await scene.askAt("2031-03-07T14:00");
    expect(scene.codes()).toEqual(["address_refused"]);
    expect(olinda.asked).toEqual([]);
  });
});

test("metrics have the rate's source and age, what is held and the source's failures", async () => {
  const scene = await start();
  let text = "";
  // Each reads the state anew, so that no interval has to pass.
  const shown = async (sample: string) => {
    const metrics = new Metrics("worker", "1");
    const watching = metrics.watch(scene.service.core, { warn: () => undefined });
    await expect.poll(() => metrics.registry.metrics()).toContain("paylink_database_up 1");
    await watching.stop();
    text = await metrics.registry.metrics();
    expect(text).toContain(sample);
  };
  scene.at("2031-03-03T09:00");
  await scene.publish(5_000_000n);
  scene.at("2031-03-03T09:10");
  await shown('paylink_fx_rate_age_seconds{mode="live",source="manual"} 600\n');
  scene.olinda.publish("2031-03-07 13:10:00", "5.10");
  await scene.askAt("2031-03-09T14:00");
  await shown(`paylink_fx_rate_age_seconds{mode="live",source="ptax"} ${(10 * 60 + 50) * 60}\n`);
  expect(text).toContain('paylink_fx_rate_max_age_seconds{mode="live",source="ptax"} 108000\n');
  expect(text).toContain('paylink_fx_held_rates{mode="live"} 0\n');
  scene.olinda.publish("2031-03-09 13:30:00", "9.10");
  await scene.askAt("2031-03-09T14:01");
  scene.olinda.answer((response) => void response.writeHead(500).end());
  await scene.askAt("2031-03-09T14:02");
  await shown('paylink_fx_feed_failures{mode="live",source="ptax"} 1\n');
  expect(text).toContain('paylink_fx_held_rates{mode="live"} 1\n');
  scene.service.faults.splice(0);
});

test("a metric of the source before is not shown on", async () => {
  const registry = new Registry();
  const metrics = new RateMetrics(registry);
  const of = (source: string) => ({
    mode: "live" as const,
    rate: { source, ageSeconds: 5, maxAgeSeconds: 9 },
    heldCount: 0,
    feed: undefined,
  });
  metrics.set([of("manual")]);
  metrics.set([of("ptax")]);
  const text = await registry.metrics();
  expect(text).toContain('paylink_fx_rate_age_seconds{mode="live",source="ptax"} 5');
  expect(text).not.toContain("manual");
});

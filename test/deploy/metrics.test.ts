import { readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { Metrics } from "../../cli/observe/metrics.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";
import { hasPromtool } from "./promtool.ts";

const PATIENCE = { timeout: 30_000 };
const deploy = join(import.meta.dirname, "..", "..", "deploy");
const read = (name: string): string => readFileSync(join(deploy, name), "utf8");
const alerts = parse(read("alerts.yaml")) as { groups: { rules: { expr: string }[] }[] };
const dashboard = JSON.parse(read("grafana-dashboard.json")) as {
  panels: { title: string; gridPos: { x: number; w: number }; targets?: { expr: string }[] }[];
};

/** What Prometheus adds to the samples of a process. */
const OF_SCRAPES = ["instance", "job", "le"];
const OWN = /\b(?:paylink|process)_\w+/g;

const service = await forFile(startService());
const merchant = await createMerchant(service);
// An event of two hours ago waits for its delivery.
await merchant.webhooks.createWebhookEndpoint({ url: "http://127.0.0.1:9999/" }, merchant.as);
await merchant.pay();
service.clock.advance(7200);
const { body } = await merchant.pay();
await merchant.pay({}, { outcome: "failed" });
await merchant.api.post(`/v1/payments/${body.id}/refunds`, {});
const metrics = new Metrics("all", "1");
// As in a process with DATABASE_REPLICA_URL.
const replicaStanding = () => ({ lagMs: 400, isUsed: true });
metrics.watchPools({ pools: service.core.pools, replicaStanding });
const warnings: unknown[] = [];
const log = { warn: (...given: unknown[]) => void warnings.push(given) };
const watching = metrics.watch(service.core, log);
await forFile(Promise.resolve({ close: async () => await watching.stop() }));

/** The metric with this name, as it is registered. */
function found(name: string): { labelNames: string[] } | undefined {
  const metric: unknown = metrics.registry.getSingleMetric(name.replace(/_(?:bucket|count|sum)$/, ""));
  return metric as { labelNames: string[] } | undefined;
}

const questions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const expressions = [...alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)), ...questions];

test.each(expressions)("%s names metrics and labels that there are", (expr) => {
  const names = expr.match(OWN) ?? [];
  expect(names).not.toEqual([]);
  expect(names.filter((name) => found(name) === undefined)).toEqual([]);
  const used = [
    ...[...expr.matchAll(/by \(([^)]+)\)/g)].flatMap(([, list = ""]) => list.split(", ")),
    ...[...expr.matchAll(/(\w+)=~?"/g)].map(([, label = ""]) => label),
  ];
  const known = new Set([...names.flatMap((name) => found(name)?.labelNames ?? []), ...OF_SCRAPES]);
  expect(used.filter((label) => !known.has(label))).toEqual([]);
});

test.skipIf(!hasPromtool)("each question of the dashboard is one that Prometheus can read", async () => {
  const rules = questions.map((expr, index) => ({
    record: `question:${index}`,
    expr: expr.replaceAll("$__rate_interval", "5m").replaceAll("$mode", "live"),
  }));
  const { path: folder, remove } = await makeDataFolder();
  const file = join(folder, "questions.json");
  await writeFile(file, JSON.stringify({ groups: [{ name: "questions", rules }] }));
  const { status, stderr } = spawnSync("promtool", ["check", "rules", file], { encoding: "utf8" });
  await remove();
  expect([status, stderr]).toEqual([0, ""]);
});

test("each panel of the dashboard fits its row, and has a title and a question", () => {
  for (const { title, gridPos, targets } of dashboard.panels) {
    expect(title).not.toBe("");
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    expect(targets?.length ?? 1).toBeGreaterThan(0);
  }
});

test("payments by method and outcome, events and refunds are counted", async () => {
  for (const sample of [
    'paylink_recent_payments{mode="test",method="pix",outcome="succeeded"} 1',
    'paylink_recent_payments{mode="test",method="pix",outcome="failed"} 1',
    'paylink_recent_events{mode="test",type="payment.succeeded"} 1',
    'paylink_recent_events{mode="test",type="refund.succeeded"} 1',
    'paylink_open_refunds{mode="test"} 0',
    'paylink_oldest_delivery_seconds{mode="live"} 0',
    'paylink_oldest_delivery_seconds{mode="test"} 72',
  ]) {
    await expect.poll(async () => await metrics.registry.metrics(), PATIENCE).toContain(sample);
  }
});

test("a webhook that is due and that no worker takes is counted, and how long it has waited", async () => {
  await expect
    .poll(async () => await metrics.registry.metrics(), PATIENCE)
    .toMatch(/^paylink_job_oldest_due_seconds\{mode="test"\} (?!0$)\d/m);
});

test("each counter that an alert looks for a rise of has its series from the start", async () => {
  const text = await new Metrics("worker", "1").registry.metrics();
  const counters = alerts.groups.flatMap(({ rules }) =>
    rules.flatMap(({ expr }) => [...expr.matchAll(/increase\((\w+)\{(.+?)\}/g)]),
  );
  expect(counters).not.toEqual([]);
  for (const [, name = "", labels = ""] of counters)
    expect(text.split("\n")).toContain(`${name}{mode="live",${labels}} 0`);
});

test("a route's times cost at most nine series", async () => {
  metrics.requestEnded({ route: "/v1/payments", verb: "GET", status: 200, durationMs: 1 } as never);
  const lines = (await metrics.registry.metrics()).split("\n");
  const ofRoute = lines.filter(
    (line) => line.startsWith("paylink_http_request_duration_seconds") && line.includes("payments"),
  );
  expect(ofRoute.length).toBeLessThanOrEqual(10);
});

test("a figure that cannot be read is a line in the log, and the others are read", async () => {
  expect(warnings).toEqual([]);
  const other = new Metrics("all", "1");
  const fault = new Error("a figure");
  const core = { ...service.core, businessFigures: async () => await Promise.reject(fault) };
  const watched = other.watch(core, log);
  await expect.poll(() => warnings, PATIENCE).toEqual([[{ err: fault }, "figures were not read"]]);
  await expect.poll(() => other.registry.metrics(), PATIENCE).toContain("paylink_database_up 1");
  await watched.stop();
});

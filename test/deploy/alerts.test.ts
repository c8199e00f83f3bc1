import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { faultOf } from "../support/command-line.ts";
import { EVALUATED_AT, hasPromtool, seriesOf } from "./promtool.ts";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly action: string };
}

const DAY = 86_400;
const NOW = EVALUATED_AT;
const root = join(import.meta.dirname, "..", "..");
const file = readFileSync(join(root, "deploy", "alerts.yaml"), "utf8");
const page = readFileSync(join(root, "docs", "operations.md"), "utf8");
const rules = (parse(file) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);

const COMPARISON = /^(?<left>.+) (?<sign>[<>]) (?<limit>[\d.]+)$/;
const METRIC = /paylink_\w+(?:\{\w+="\w+"\})?/g;

/** Evaluates an expression of the forms that the rules have. Throws Error for any other form, or without a sample. */
function fires(expr: string, samples: Readonly<Record<string, number>>): boolean {
  const { left = "", sign, limit } = COMPARISON.exec(expr)?.groups ?? {};
  const [metric = "", other = metric] = left.match(METRIC) ?? [];
  const whole = samples[left];
  const [sample = whole, divisor = whole] = [samples[metric], samples[other]];
  if (sample === undefined || divisor === undefined) throw new Error(`no sample of ${left}`);
  const value: Record<string, number> = {
    [metric]: sample,
    [`${metric} - time()`]: sample - NOW,
    [`time() - ${metric}`]: NOW - sample,
    [`increase(${metric}[1h])`]: sample,
    [`increase(${metric}[15m])`]: sample,
    [`${metric} / ${other}`]: sample / divisor,
    ...(whole === undefined ? {} : { [left]: whole }),
  };
  const found = value[left];
  if (found === undefined) throw new Error(`the form of ${left} is not known`);
  return sign === "<" ? found < Number(limit) : found > Number(limit);
}

const END = "paylink_provider_certificate_end_timestamp_seconds";
const SWEPT = "paylink_provider_swept_to_timestamp_seconds";
const RETURNS_SWEPT = "paylink_provider_returns_swept_to_timestamp_seconds";
const FAILURES = "paylink_provider_failures_total";
const RETURNS = "paylink_provider_recent_returns_by_others";
const INTERRUPTED = "paylink_provider_interrupted_callbacks";
const UNREAD = "paylink_provider_unread_statements";
const [OVERDUE, DEADLINES] = ["paylink_card_overdue_payments", "paylink_card_dispute_deadlines"];
const REFERENCES = "paylink_provider_recent_unknown_references";
const [HELD, FEED] = ["paylink_fx_held_rates", "paylink_fx_feed_failures"];
const HOUR = 3600;
/** Returns the samples of a rate that is so many hours old of its 30. */
const aged = (source: string, hours: number): Record<string, number> =>
  Object.fromEntries(
    [`{source="${source}"}`, '{mode="live"}'].flatMap((labels) => [
      [`paylink_fx_rate_age_seconds${labels}`, hours * HOUR],
      [`paylink_fx_rate_max_age_seconds${labels}`, 30 * HOUR],
    ]),
  );
const DOWN = "absent(paylink_build_info)";
const ERRORS =
  'sum(rate(paylink_http_requests_total{status=~"5.."}[5m])) / sum(rate(paylink_http_requests_total[5m]))';
const SLOW = "histogram_quantile(0.95, sum by (le) (rate(paylink_http_request_duration_seconds_bucket[5m])))";
const [UP, WAITING] = ["paylink_database_up", "paylink_database_waiting_requests"];
const [LAG, REPLICA] = ["paylink_database_replica_lag_seconds", "paylink_database_replica_used"];
const [BOOKS, PRICES] = ["paylink_ledger_problems", "paylink_price_parity_violations"];
const CHECKED = "paylink_audit_last_timestamp_seconds";
const [JOBS, DELIVERIES] = ["paylink_job_oldest_due_seconds", "paylink_oldest_delivery_seconds"];
const WELL: Readonly<Record<string, number>> = {
  [DOWN]: 0,
  [ERRORS]: 0.01,
  [SLOW]: 0.2,
  [UP]: 1,
  [WAITING]: 0,
  [LAG]: 0.2,
  [REPLICA]: 1,
  [BOOKS]: 0,
  [PRICES]: 0,
  [CHECKED]: NOW - 3700,
  [JOBS]: 299,
  [DELIVERIES]: 86_000,
  ...aged("ptax", 24.5),
  [RETURNS]: 0,
  [REFERENCES]: 0,
  [INTERRUPTED]: 0,
  [UNREAD]: 0,
  [OVERDUE]: 0,
  [DEADLINES]: 0,
  [HELD]: 0,
  [FEED]: 2,
  paylink_provider_unknown_money: 0,
  [END]: NOW + 31 * DAY,
  [SWEPT]: NOW - 3700,
  [RETURNS_SWEPT]: NOW - 2 * DAY - 3700,
  [`${FAILURES}{kind="wrong"}`]: 0,
  [`${FAILURES}{kind="misconfigured"}`]: 0,
};
const firing = (changes: Readonly<Record<string, number>>) =>
  rules.filter(({ expr }) => fires(expr, { ...WELL, ...changes })).map(({ alert }) => alert);

const CASES: [what: string, changes: Record<string, number>, expected: string[]][] = [
  ["money without a charge", { paylink_provider_unknown_money: 1 }, ["PaylinkUnknownMoney"]],
  ["a certificate's 29 last days", { [END]: NOW + 29 * DAY }, ["PaylinkCertificateEndsIn30Days"]],
  [
    "a certificate's 6 last days",
    { [END]: NOW + 6 * DAY },
    ["PaylinkCertificateEndsIn30Days", "PaylinkCertificateEndsIn7Days"],
  ],
  [
    "a certificate that has ended",
    { [END]: NOW - 1 },
    ["PaylinkCertificateEndsIn30Days", "PaylinkCertificateEndsIn7Days", "PaylinkCertificateEndsIn1Day"],
  ],
  ["a wrong answer", { [`${FAILURES}{kind="wrong"}`]: 1 }, ["PaylinkWrongProviderAnswers"]],
  ["a refused account", { [`${FAILURES}{kind="misconfigured"}`]: 1 }, ["PaylinkProviderRefusesAccount"]],
  ["an account that is called back no more", { [INTERRUPTED]: 1 }, ["PaylinkCallbacksInterrupted"]],
  ["an account with unread days", { [UNREAD]: 1 }, ["PaylinkUnreadStatements"]],
  ["money that is overdue at a card provider", { [OVERDUE]: 1 }, ["PaylinkReceivablesOverdue"]],
  ["a dispute whose deadline is near", { [DEADLINES]: 1 }, ["PaylinkDisputeDeadlines"]],
  ["statements that are not read", { [SWEPT]: NOW - 10_801 }, ["PaylinkSweepsOverdue"]],
  ["returns that are not read", { [RETURNS_SWEPT]: NOW - 180_001 }, ["PaylinkReturnsOverdue"]],
  ["money that a bank gave back", { [RETURNS]: 1 }, ["PaylinkReturnsByOthers"]],
  ["a callback about no charge", { [REFERENCES]: 1 }, ["PaylinkUnknownReferences"]],
  ["a rate that jumped", { [HELD]: 1 }, ["PaylinkRateHeld"]],
  ["a bulletin that is two hours late", aged("ptax", 26), ["PaylinkRateIsLate"]],
  ["a fetched rate that is too old", aged("ptax", 31), ["PaylinkRateIsLate", "PaylinkRateTooOld"]],
  ["a published rate that is too old", aged("manual", 31), ["PaylinkRateTooOld"]],
  ["a source of rates that fails", { [FEED]: 3 }, ["PaylinkRateSourceFails"]],
  ["a service that is gone", { [DOWN]: 1 }, ["PaylinkDown"]],
  ["a database that does not answer", { [UP]: 0 }, ["PaylinkDatabaseDown"]],
  ["answers of 5xx", { [ERRORS]: 0.03 }, ["PaylinkServerErrors"]],
  ["slow answers", { [SLOW]: 3 }, ["PaylinkSlowAnswers"]],
  ["requests that wait for connections", { [WAITING]: 1 }, ["PaylinkConnectionsExhausted"]],
  ["a replica that is behind", { [LAG]: 31, [REPLICA]: 0 }, ["PaylinkReplicaBehind", "PaylinkReplicaUnused"]],
  ["a replica that does not answer", { [REPLICA]: 0 }, ["PaylinkReplicaUnused"]],
  ["wrong books", { [BOOKS]: 1 }, ["PaylinkBooksWrong"]],
  ["prices that differ", { [PRICES]: 1 }, ["PaylinkPricesDiffer"]],
  ["checks that are not made", { [CHECKED]: NOW - 7201 }, ["PaylinkChecksOverdue"]],
  ["webhooks that no worker sends", { [JOBS]: 301 }, ["PaylinkJobsOverdue"]],
  ["an event that is not taken for a day", { [DELIVERIES]: 86_401 }, ["PaylinkDeliveriesOld"]],
];

describe("alerts", () => {
  test("are silent while all is well", () => {
    expect(firing({})).toEqual([]);
  });

  test.each(CASES)("fire for %s", (_, changes, expected) => {
    expect(firing(changes)).toEqual(expected);
  });

  test("are all among them", () => {
    const fired = new Set(CASES.flatMap(([, , expected]) => expected));
    expect(rules.map(({ alert }) => alert).filter((alert) => !fired.has(alert))).toEqual([]);
  });

  test("name commands that would run", () => {
    for (const { labels, annotations } of rules) {
      expect(["page", "ticket"]).toContain(labels.severity);
      expect(annotations.summary).toMatch(/\.$/);
      for (const [, line = ""] of annotations.action.matchAll(/npx (paylink [^,.]+)/g))
        expect([line, faultOf(line)]).toEqual([line, null]);
    }
  });

  test("are all in docs/operations.md, which says what to do", () => {
    const missing = rules.filter(
      ({ alert }) => !page.includes(`\`${alert.replace(/(?<=EndsIn)\d+Days?$/, "…")}\``),
    );
    expect(missing.map(({ alert }) => alert)).toEqual([]);
  });

  test.skipIf(!hasPromtool)("fire in Prometheus for the same", async () => {
    const folder = await mkdtemp(join(tmpdir(), "paylink-alerts-"));
    await writeFile(join(folder, "alerts.yaml"), file);
    const tests = ([["all is well", {}, []], ...CASES] as typeof CASES).map(([, changes, expected]) => ({
      interval: "1m",
      input_series: Object.entries({ ...WELL, ...changes }).flatMap(([left, sample]) =>
        seriesOf(left, sample),
      ),
      alert_rule_test: rules.map(({ alert, labels, annotations }) => ({
        eval_time: `${EVALUATED_AT}s`,
        alertname: alert,
        exp_alerts: expected.includes(alert)
          ? [{ exp_labels: { ...labels, ...labelsOf(alert) }, exp_annotations: annotations }]
          : [],
      })),
    }));
    await writeFile(join(folder, "test.yaml"), stringify({ rule_files: ["alerts.yaml"], tests }));
    const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", "test.yaml"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining("SUCCESS")]);
    await rm(folder, { recursive: true });
  });
});

/** The labels of the samples that an alert has besides its own, as the table above gives them. */
function labelsOf(alert: string): Record<string, string> {
  const { expr = "" } = rules.find((rule) => rule.alert === alert) ?? {};
  const left = COMPARISON.exec(expr)?.groups?.["left"] ?? "";
  if (/^(?:absent|sum|histogram_quantile)\(/.test(left)) return {};
  return Object.fromEntries(
    [...left.matchAll(/(\w+)="(\w+)"/g)].map(([, name = "", value = ""]) => [name, value]),
  );
}

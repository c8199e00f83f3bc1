import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import fastify from "fastify";
import { createLog } from "../../cli/observe/log.ts";
import { Notice } from "../../cli/observe/notice.ts";
import { newId } from "../../contract/ids.ts";
import { Canaries } from "../support/canaries.ts";

const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"] as const;

function capture() {
  const lines: string[] = [];
  const log = createLog("trace", { write: (line: string) => void lines.push(line) });
  return { log, lines, read: () => lines.map((line) => JSON.parse(line)) };
}

test("what is on the list passes, in the shape that it must have", () => {
  const { log, read } = capture();
  const fields = {
    request_id: newId("req"),
    tenant: newId("ten"),
    mode: "test",
    route: "/v1/payments/:id",
    verb: "GET",
    status: 200,
    outcome: "ok",
  };
  log.info({ ...fields, duration_ms: 1.2345 }, "request");
  log.info({ notice: new Notice("Creating the database"), address: "http://127.0.0.1:80" }, "notice");
  expect(read()).toEqual([
    { level: "info", time: expect.any(Number), ...fields, duration_ms: 1.23, msg: "request" },
    {
      level: "info",
      time: expect.any(Number),
      notice: "Creating the database",
      address: "http://127.0.0.1:80",
      msg: "notice",
    },
  ]);
});

test("every text that the code logs is on the list", () => {
  const root = join(import.meta.dirname, "..", "..");
  const code = globSync("{src,gateway,cli}/**/*.ts", { cwd: root }).map((path) =>
    readFileSync(join(root, path), "utf8"),
  );
  const calls = code.flatMap(
    (text) => text.match(/\blog\??\.(info|warn|error|fatal)\([^;]*?"[^"]*",?\s*\)/g) ?? [],
  );
  const texts = calls.flatMap((call) => /"([^"]*)",?\s*\)$/.exec(call)?.[1] ?? []);
  expect(texts.length).toBeGreaterThan(20);
  const { log, read } = capture();
  for (const text of texts) log.error({}, text);
  expect(read().map(({ msg }) => msg)).toEqual(texts);
});

test("nothing else passes, by any path", () => {
  const { log, lines } = capture();
  const canaries = new Canaries();
  const canary = (): string => canaries.new("somewhere");
  class Told extends Error {
    override readonly name = canary();
    readonly detail = canary();
    readonly code = `${canary()}.${canary()}`;
    override readonly cause = new AggregateError([new Error(canary())], canary());
  }
  const error = new Told(
    `${canary()}\n    at ${canary()} (/${canary()}.ts:1:1)\n    at file:///${canary()}.ts:1:1`,
  );
  Object.defineProperty(error.constructor, "name", { value: `${canary()} x` });
  const serializers = { status: canary, err: canary, request_id: canary, msg: canary };
  const child = log.child({ [canary()]: canary(), tenant: canary(), serializers, req: { url: canary() } });
  for (const logger of [
    log,
    child,
    child.child({ mode: canary(), route: `/v1/${canary()}?a=${canary()}` }),
  ]) {
    for (const level of LEVELS) {
      logger[level](canary());
      logger[level](`request ${canary()}`);
      logger[level]("request %s", canary());
      logger[level](error);
      logger[level](error, canary());
      logger[level]({ err: error }, "request failed");
      logger[level](
        { err: canary(), status: canary(), verb: canary(), notice: canary(), count: -1 },
        "request",
      );
      logger[level](
        { address: `http://u:${canary()}@host`, codes: [canary()], payment_ids: [canary()] },
        "request",
      );
      logger[level](
        { toJSON: canary, toString: canary, msg: canary(), level: canary(), time: canary() },
        "request",
      );
      logger[level](
        { rpc: `paylink.links.v1.X/${canary()}`, duration_ms: Number.NaN, trace_id: canary() },
        "call",
      );
    }
  }
  expect(lines.length).toBeGreaterThan(100);
  expect(canaries.foundIn(lines.join(""))).toEqual([]);
});

test("an error is logged with its kind, its code and where it was thrown", () => {
  const { log, read } = capture();
  const error = Object.assign(new RangeError("secret", { cause: new Error("inner") }), { code: "23505" });
  log.error({ err: error }, "request failed");
  expect(read()[0].err).toMatchObject({
    name: "RangeError",
    code: "23505",
    stack: [
      expect.stringMatching(/^test\/operations\/log\.test\.ts:\d+:\d+$/),
      ...read()[0].err.stack.slice(1),
    ],
    cause: { name: "Error" },
  });
});

test("Fastify's own lines have nothing of a request", async () => {
  const { log, lines } = capture();
  const canaries = new Canaries();
  const app = fastify({ loggerInstance: log });
  app.get("/:id", async () => await Promise.reject(new Error(canaries.new("thrown"))));
  await app.inject({
    url: `/${canaries.new("path")}?q=${canaries.new("query")}`,
    headers: { x: canaries.new("x") },
  });
  await app.close();
  expect(lines.length).toBeGreaterThan(0);
  expect(canaries.foundIn(lines.join(""))).toEqual([]);
});

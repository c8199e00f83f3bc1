import { createClient, type Client } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { DescService } from "@bufbuild/protobuf";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { Canaries } from "../support/canaries.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { cloneDatabase } from "../support/database.ts";
import { freePorts, startProcess, type ServiceProcess } from "../support/process.ts";

const ODD = [
  "user-agent",
  "cookie",
  "referer",
  "x-forwarded-for",
  "traceparent",
  "tracestate",
  "baggage",
  "accept",
];

/** A core and a gateway in processes of their own that log all they can, and are given canaries alone. */
export class WatchedProcesses {
  readonly canaries: Canaries;
  readonly database: { readonly url: string; readonly drop: () => Promise<void> };
  readonly rows: DatabaseRows;
  readonly core: ServiceProcess;
  readonly gateway: ServiceProcess;
  readonly tenant: { readonly id: string; readonly key: string };
  readonly #remove: () => Promise<void>;

  private constructor(
    made: Pick<WatchedProcesses, "canaries" | "database" | "rows" | "core" | "gateway" | "tenant">,
    remove: () => Promise<void>,
  ) {
    this.canaries = made.canaries;
    this.database = made.database;
    this.rows = made.rows;
    this.core = made.core;
    this.gateway = made.gateway;
    this.tenant = made.tenant;
    this.#remove = remove;
  }

  static async start(): Promise<WatchedProcesses> {
    const canaries = new Canaries();
    const { path: dataDir, remove } = await makeDataFolder();
    const database = await cloneDatabase();
    const rows = await new DatabaseRows(database.url).open();
    const dataKey = canaries.keep("DATA_KEY", randomBytes(32).toString("base64"));
    const [httpPort] = await freePorts(1);
    const env = {
      DATABASE_URL: database.url.replace("paylink@", `paylink:${canaries.new("DATABASE_URL")}@`),
      CORE_TOKEN: canaries.new("CORE_TOKEN"),
      DATA_KEY: dataKey,
      CORE_HTTP_PORT: String(httpPort),
      WEBHOOK_ALLOW_LOOPBACK: "true",
      PAYLINK_SEED: "none",
      LOG_LEVEL: "trace",
    };
    // The keys are printed on purpose, once: by a process that is not looked at.
    const seeding = await startProcess(dataDir, { ...env, PAYLINK_SEED: "demo" });
    await seeding.end("SIGTERM");
    const [{ id, test_key: key, live_key: live }] = JSON.parse(
      await readFile(join(dataDir, "demo-keys.json"), "utf8"),
    );
    const tenant = { id, key: canaries.keep("API key", key) };
    canaries.keep("live API key", live);
    const core = await startProcess(dataDir, env, "core");
    const gateway = await startProcess(dataDir, { ...env, LOG_LEVEL: "info" }, "gateway");
    return new WatchedProcesses({ canaries, database, rows, core, gateway, tenant }, remove);
  }

  async send(path: string, body?: string, key?: string): Promise<{ status: number; text: string }> {
    const given = body === undefined ? { method: "GET" } : { method: "POST", body };
    const response = await fetch(`${this.gateway.baseUrl}${path}`, {
      ...given,
      headers: this.#headers(key),
      redirect: "manual",
    });
    return { status: response.status, text: await response.text() };
  }

  async sendForm(path: string, form: Record<string, string>): Promise<Response> {
    const body = new URLSearchParams(form);
    return await fetch(`${this.gateway.baseUrl}${path}`, { method: "POST", body, redirect: "manual" });
  }

  client<Service extends DescService>(service: Service): Client<Service> {
    const baseUrl = `http://127.0.0.1:${this.core.env["CORE_PORT"]}`;
    return createClient(service, createGrpcTransport({ baseUrl }));
  }

  /** Call options of an internal caller for the tenant. */
  as(): { headers: Record<string, string> } {
    const { CORE_TOKEN: token = "" } = this.core.env;
    return {
      headers: { ...this.#headers(token), "paylink-tenant": this.tenant.id, "paylink-mode": "test" },
    };
  }

  /** Headers that hold a canary each, besides those that let a request in. */
  #headers(key = this.tenant.key): Record<string, string> {
    return {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": this.canaries.new("idempotency key"),
      ...Object.fromEntries(ODD.map((name) => [name, this.canaries.new(`header ${name}`)])),
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.core, this.gateway].map((service) => service.end("SIGKILL")));
    await this.rows.close().catch(() => undefined);
    await this.#remove();
  }
}

type Line = Record<string, unknown> & { readonly err?: { readonly code?: string } };

/** The lines of its log. */
export function linesOf(service: ServiceProcess): Line[] {
  return service
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
}

/** Waits for a line of its log that has what is given. */
export async function untilLine(service: ServiceProcess, fits: object): Promise<void> {
  await expect
    .poll(() => linesOf(service), { timeout: 10_000 })
    .toContainEqual(expect.objectContaining(fits));
}

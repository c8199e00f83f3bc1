import { setTimeout as passes } from "node:timers/promises";
import type { FastifyInstance, InjectOptions } from "fastify";
import { expect, test } from "vitest";
import { readConfig } from "../../src/platform/config/config.ts";
import { connectMerchant, startLive } from "../provider-accounts/live-merchant.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { FORM } from "./page-caller.ts";

// A mobile operator puts thousands of payers behind one address.
const [PAYERS, ADDRESSES] = [1500, 20];
const AT_ONCE = 50;
// A page without its code watches its state.
const WATCH_MS = 500;
const WATCHES_MAX = 60;

// The default limits.
const { sessionsPerAddress, quotas } = readConfig({});
const live = await forFile(startLive({ sessionsPerAddress, quotas }));
const { service } = live;
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

test.each([
  ["in test mode", "test", async () => await createMerchant(service)],
  ["at a bank", "live", async () => await connectMerchant(live)],
] as const)(
  "a crowd behind few addresses opens one campaign and sees its PIX codes %s, and none of it is refused by the default limits",
  async (_where, mode, connect) => {
    const merchant = await connect();
    const linkId = await merchant.newLink({ campaign: true, payment_methods: ["pix"] });
    const crowd = new Crowd(service.gateway, linkId);
    const seconds = await crowd.come();
    // Some 40 s on two quiet cores: two minutes are what a crowd may take.
    console.info(`${PAYERS} payers ${mode}: ${seconds.toFixed(0)} s`);
    expect(crowd.statuses).toEqual({ "link 200": PAYERS, "session 303": PAYERS, "code 200": PAYERS });
    expect(crowd.codes.size).toBe(PAYERS);
    expect(await rows.count(`${mode}.payment WHERE link_id = $1`, [linkId])).toBe(PAYERS);
  },
  600_000,
);

/** Payers of one link, a number of them at a time, each with the requests of a browser. */
class Crowd {
  /** How often a step had which status. */
  readonly statuses: Record<string, number> = {};
  readonly codes = new Set<string>();
  readonly #gateway: FastifyInstance;
  readonly #linkId: string;
  #came = 0;

  constructor(gateway: FastifyInstance, linkId: string) {
    this.#gateway = gateway;
    this.#linkId = linkId;
  }

  /** Returns the seconds that the crowd took. */
  async come(): Promise<number> {
    const startedMs = performance.now();
    const comeOneByOne = async (): Promise<void> => {
      while (this.#came < PAYERS) await this.#pay(`203.0.113.${this.#came++ % ADDRESSES}`);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, comeOneByOne));
    return (performance.now() - startedMs) / 1000;
  }

  /** Looks at the link, opens a session, and looks at its page until that has a code. */
  async #pay(remoteAddress: string): Promise<void> {
    const ask = async (url: string, options: InjectOptions = {}) =>
      await this.#gateway.inject({ url, remoteAddress, ...options });
    const first = await ask(`/pay/${this.#linkId}`);
    this.#count("link", first.statusCode);
    const prices = /name="prices" value="([^"]+)"/.exec(first.body)?.[1] ?? "";
    const payload = new URLSearchParams({ prices, way: "pix-1" }).toString();
    const opened = await ask(`/pay/${this.#linkId}/sessions`, { method: "POST", headers: FORM, payload });
    this.#count("session", opened.statusCode);
    const page = String(opened.headers.location);
    for (let watches = 0; watches < WATCHES_MAX; watches++) {
      if (!(await ask(`${page}/status`)).body.includes("preparing")) break;
      await passes(WATCH_MS);
    }
    const last = await ask(page);
    const code = /id="pix_code"[^>]*>([^<]+)</.exec(last.body)?.[1];
    this.#count(code === undefined ? "no code" : "code", last.statusCode);
    if (code !== undefined) this.codes.add(code);
  }

  #count(step: string, status: number): void {
    const name = `${step} ${status}`;
    this.statuses[name] = (this.statuses[name] ?? 0) + 1;
  }
}

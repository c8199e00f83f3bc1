import { join } from "node:path";
import pg from "pg";
import { dayAt } from "../../contract/day.ts";
import { DATABASE_NAME } from "../../cli/serve/database.ts";
import { migrate } from "../../src/migrations/migrate.ts";
import { launchPostgres } from "../../src/platform/db/embedded-postgres/launch-postgres.ts";
import { CORE_TOKEN, DATA_KEY } from "../support/core-options.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { createMerchant } from "../support/merchant.ts";
import { startProcess, type ServiceProcess } from "../support/process.ts";
import { startServiceOn } from "../support/service.ts";

const CLIENTS = 6;

export const SECRETS = { CORE_TOKEN, DATA_KEY: DATA_KEY.toString("base64"), PAYLINK_SEED: "none" };

/** `paylink serve` on a folder with a sealed day, and clients that create and pay. */
export interface LoadedService {
  readonly dataDir: string;
  readonly process: ServiceProcess;
  /** The sealed day, and whose it is. */
  readonly sealed: { readonly day: string; readonly tenant: string };
  /** What was answered so far, by idempotency key. */
  readonly acknowledged: ReadonlyMap<string, string>;
  /** Asks for a link once more, or for the first time, at any service with this database. */
  readonly ask: (baseUrl: string, name: string) => Promise<{ status: number; text: string; replay: boolean }>;
  /** Starts the clients. Resolves once so many links are acknowledged, with what ends the clients. */
  readonly load: (count: number) => Promise<() => Promise<void>>;
  readonly close: () => Promise<void>;
}

export async function startLoadedService(): Promise<LoadedService> {
  const { path: dataDir, remove } = await makeDataFolder();
  const { key, ...sealed } = await sealPastDay(dataDir);
  const service = await startProcess(dataDir, SECRETS);
  const acknowledged = new Map<string, string>();
  const post = async (baseUrl: string, path: string, body: object, name?: string) =>
    await fetch(`${baseUrl}/v1/${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        ...(name ? { "idempotency-key": name } : {}),
      },
      body: JSON.stringify(body),
    });
  const ask: LoadedService["ask"] = async (baseUrl, name) => {
    const link = { amount: 5000, currency: "BRL", reference: name };
    const response = await post(baseUrl, "payment_links", link, name);
    const replay = response.headers.get("idempotent-replay") === "true";
    return { status: response.status, text: await response.text(), replay };
  };
  let next = 0;
  const client = async (isWanted: () => boolean, onAcknowledged: () => void): Promise<void> => {
    while (isWanted()) {
      const name = `order-${next++}`;
      const { status, text } = await ask(service.baseUrl, name);
      if (status !== 201) continue;
      acknowledged.set(name, text);
      onAcknowledged();
      const { id } = JSON.parse(text) as { id: string };
      await post(service.baseUrl, `payment_links/${id}/simulate_payment`, { outcome: "succeeded" });
    }
  };
  return {
    dataDir,
    process: service,
    sealed,
    acknowledged,
    ask,
    load: async (count) => {
      const { promise: reached, resolve } = Promise.withResolvers<void>();
      const onAcknowledged = (): void => void (acknowledged.size >= count && resolve());
      let isWanted = true;
      const clients = Promise.all(
        Array.from({ length: CLIENTS }, () => client(() => isWanted, onAcknowledged)),
      );
      await Promise.race([reached, clients]);
      return async () => {
        isWanted = false;
        await clients;
      };
    },
    close: async () => {
      await service.end("SIGTERM");
      await remove();
    },
  };
}

/** Makes the folder's database, with payments of a past day and its seal. */
async function sealPastDay(dataDir: string): Promise<{ key: string; day: string; tenant: string }> {
  const postgres = await launchPostgres({ dataDir: join(dataDir, "postgres") });
  const admin = new pg.Client({ connectionString: postgres.connectionString("postgres") });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${DATABASE_NAME}`);
  await admin.end();
  const url = postgres.connectionString(DATABASE_NAME);
  await migrate(url);
  const service = await startServiceOn(url, "direct");
  const day = dayAt(Date.now()).subtract({ days: 2 }).toString();
  service.clock.set(new Date(`${day}T12:00:00-03:00`));
  const merchant = await createMerchant(service);
  await merchant.pay();
  await merchant.pay();
  service.clock.set(new Date());
  await merchant.ledger.sealDay({ day }, merchant.as);
  await service.close();
  await postgres.stop();
  return { key: merchant.tenant.testKey, day, tenant: merchant.tenant.id };
}

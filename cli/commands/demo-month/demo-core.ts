import { messageWriter } from "../../../gateway/transcode/message-writer.ts";
import { createCore, type Core } from "../../../src/app.ts";
import { bringUpToDate } from "../../../src/migrations/up-to-date.ts";
import type { Config } from "../../../src/platform/config/config.ts";
import type { Clock } from "../../../src/platform/time/clock.ts";
import { findCoreToken } from "../../operate/keys/core-token.ts";
import { findDataKeys, missingKey } from "../../operate/keys/data-key.ts";
import { reachServer } from "../../operate/backup/embedded.ts";
import { API_VERSIONS } from "../../serve/api-versions.ts";
import { DATABASE_NAME } from "../../serve/database.ts";
import { openMediaStorage } from "../../serve/media-storage.ts";

// Longer than one payment or refund takes.
const OWN_MS = 900_000;

/** A clock that shows what it is set to. A running service's worker leaves alone for a while what is written by it. */
export class SetClock implements Clock {
  #ms = Date.now();

  workableMs(): number {
    return Date.now() + OWN_MS;
  }

  nowMs(): number {
    return this.#ms;
  }

  set(unixMs: number): void {
    this.#ms = unixMs;
  }
}

/** A core of the demo's own on the service's database, without a worker, whose time is the clock's. */
export interface DemoCore {
  readonly core: Core;
  readonly clock: SetClock;
  readonly databaseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Throws Error if the service was never started with this configuration. */
export async function openDemoCore(config: Config, actor: Record<string, string>): Promise<DemoCore> {
  const coreToken = await findCoreToken(config);
  const keys = await findDataKeys(config);
  if (!keys) throw new Error(missingKey(config));
  const [dataKey, ...formerDataKeys] = keys;
  const database = await reachDatabase(config);
  try {
    await bringUpToDate(database.url);
    const clock = new SetClock();
    const core = await createCore({
      databaseUrl: database.url,
      coreToken,
      apiVersions: API_VERSIONS,
      checkoutBase: config.checkoutBase,
      publicUrl: config.callbackBase,
      consoleUrl: `${config.publicUrl}/console`,
      mediaBase: config.mediaBase,
      mediaStorage: openMediaStorage(config),
      dataKey,
      formerDataKeys,
      allowLoopbackWebhooks: config.allowLoopbackWebhooks,
      jsonWriter: messageWriter,
      clock,
      log: {
        info: () => undefined,
        error: (_details: object, message: string) =>
          void process.stderr.write(`paylink: ${message}
`),
      },
    });
    return {
      core,
      clock,
      databaseUrl: database.url,
      headers: { authorization: `Bearer ${coreToken}`, ...actor },
      close: async () => {
        await core.close();
        await database.release();
      },
    };
  } catch (error) {
    await database.release();
    throw error;
  }
}

async function reachDatabase(config: Config): Promise<{ url: string; release: () => Promise<void> }> {
  if (config.databaseUrl !== undefined) {
    return { url: config.databaseUrl, release: () => Promise.resolve() };
  }
  const server = await reachServer(config);
  const url = new URL(server.url);
  url.pathname = `/${DATABASE_NAME}`;
  return { url: url.href, release: async () => await server.release() };
}

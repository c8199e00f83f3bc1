import { messageWriter } from "../../gateway/transcode/message-writer.ts";
import type { CoreOptions } from "../../src/app.ts";
import { DiskStorage } from "../../src/media/disk-storage.ts";
import type { Clock } from "../../src/platform/time/clock.ts";

export const CORE_TOKEN = "token-of-the-tests-core";
export const CHECKOUT_BASE = "https://pay.example.test";
export const MEDIA_BASE = "https://media.example.test/files";
export const DATA_KEY = Buffer.alloc(32, 7);

/** What a test sets otherwise than the service does. */
export type CoreSettings = Partial<
  Pick<
    CoreOptions,
    | "allowLoopbackProviders"
    | "allowLoopbackWebhooks"
    | "allowOpenReflection"
    | "commitBatch"
    | "databaseTimeoutMs"
    | "dataKey"
    | "formerDataKeys"
    | "log"
    | "lookup"
    | "delivery"
    | "checkoutBase"
    | "consoleUrl"
    | "mediaBase"
    | "mail"
    | "mediaStorage"
    | "observer"
    | "providerLimits"
    | "ptax"
    | "publicUrl"
    | "quotas"
    | "replica"
  >
> & {
  readonly sessionsPerAddress?: number;
};

/** A core as the tests configure it. */
export function coreOptions(
  databaseUrl: string,
  clock: Clock,
  faults: unknown[],
  settings: CoreSettings = {},
): CoreOptions {
  return {
    databaseUrl,
    coreToken: CORE_TOKEN,
    apiVersions: [{ name: "v1" }],
    checkoutBase: CHECKOUT_BASE,
    publicUrl: CHECKOUT_BASE,
    consoleUrl: `${CHECKOUT_BASE}/console`,
    mediaBase: MEDIA_BASE,
    // A test that keeps pictures brings a folder of its own.
    mediaStorage: new DiskStorage("/dev/null/media"),
    dataKey: DATA_KEY,
    allowLoopbackWebhooks: true,
    jsonWriter: messageWriter,
    clock,
    log: { info: () => undefined, error: (details) => void faults.push(details) },
    ...settings,
  };
}

import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageWriter } from "../../gateway/transcode/message-writer.ts";
import { createCore, type Core } from "../../src/app.ts";
import { DiskStorage } from "../../src/media/disk-storage.ts";
import type { CoreObserver } from "../../src/platform/observe/observer.ts";
import { systemClock } from "../../src/platform/time/clock.ts";

/** The core as `npm start` wires it, on a database that is there already. */
export async function openCore(
  databaseUrl: string,
  coreToken: string,
  checkoutBase: string,
  observer?: CoreObserver,
): Promise<Core> {
  return await createCore({
    databaseUrl,
    coreToken,
    apiVersions: [{ name: "v1" }],
    checkoutBase,
    publicUrl: checkoutBase,
    consoleUrl: `${checkoutBase}/console`,
    mediaBase: `${checkoutBase}/media`,
    mediaStorage: new DiskStorage(join(tmpdir(), "paylink-bench-media")),
    dataKey: new Uint8Array(32),
    allowLoopbackWebhooks: true,
    jsonWriter: messageWriter,
    clock: systemClock,
    ...(observer ? { observer } : {}),
    log: { info: () => undefined, error: (details) => console.error(details) },
  });
}

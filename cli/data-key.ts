import type { Config } from "../src/platform/config.ts";
import { ensureSecret, findSecret } from "./kept-secret.ts";

const NAME = "data-key";

/** The key that secrets in the database are sealed with: the variable's, else the kept one, else a new one. */
export async function ensureDataKey({ dataKey, dataDir }: Config): Promise<Buffer> {
  return dataKey ?? Buffer.from(await ensureSecret(dataDir, NAME, "base64"), "base64");
}

/** The data key as it is now; undefined when the first start has yet to make it. */
export async function findDataKey({ dataKey, dataDir }: Config): Promise<Buffer | undefined> {
  const kept = dataKey ? undefined : await findSecret(dataDir, NAME);
  return dataKey ?? (kept === undefined ? undefined : Buffer.from(kept, "base64"));
}

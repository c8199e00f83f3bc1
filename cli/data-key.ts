import type { Config } from "../src/platform/config.ts";
import { ensureSecret } from "./kept-secret.ts";

/** The key that secrets in the database are sealed with: the variable's, else the kept one, else a new one. */
export async function ensureDataKey({ dataKey, dataDir }: Config): Promise<Buffer> {
  return dataKey ?? Buffer.from(await ensureSecret(dataDir, "data-key", "base64"), "base64");
}

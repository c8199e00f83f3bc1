import { join } from "node:path";
import pg from "pg";
import { ConfigError, type Config } from "../src/platform/config.ts";
import { ensureSecret, findSecret } from "./kept-secret.ts";

const NAME = "data-key";

/**
 * Returns the key that encrypts secrets in the database: DATA_KEY, else the stored one, else a new one, which it
 * stores. Throws ConfigError when there is no key and the database holds data of another key.
 */
export async function ensureDataKey(config: Config, databaseUrl: string): Promise<Buffer> {
  const key = await findDataKey(config);
  if (key) return key;
  if ((await findEncryptedCheck(databaseUrl)) !== undefined) throw new ConfigError(missingKey(config));
  return Buffer.from(await ensureSecret(config.dataDir, NAME, "base64"), "base64");
}

/** Returns the present data key, or undefined before the first start creates it. */
export async function findDataKey({ dataKey, dataDir }: Config): Promise<Buffer | undefined> {
  const kept = dataKey ? undefined : await findSecret(dataDir, NAME);
  return dataKey ?? (kept === undefined ? undefined : Buffer.from(kept, "base64"));
}

/** Returns the value that identifies the database's key, or undefined before the first start. */
export async function encryptedCheckOf(client: pg.Client): Promise<string | undefined> {
  const { rows: found } = await client.query("SELECT to_regclass('identity.data_key_check') AS name");
  if (!found[0]?.name) return undefined;
  const { rows } = await client.query<{ sealed: string }>("SELECT sealed FROM identity.data_key_check");
  return rows[0]?.sealed;
}

/** Returns the error text for a database that was started before and whose key is missing. */
export function missingKey({ dataDir }: Pick<Config, "dataDir">): string {
  return (
    `The database was first started with a data key, and ${join(dataDir, NAME)} is not there: ` +
    "bring it back from a backup, or set DATA_KEY."
  );
}

async function findEncryptedCheck(databaseUrl: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await encryptedCheckOf(client);
  } finally {
    await client.end();
  }
}

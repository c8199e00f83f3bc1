import { join } from "node:path";
import pg from "pg";
import {
  ConfigError,
  readDataKeys,
  type Config,
  type DataKeys,
} from "../../../src/platform/config/config.ts";
import { ensureSecret, findSecret } from "./kept-secret.ts";

/** The name of the file in the data folder: the present key, then former ones. */
export const DATA_KEY_FILE = "data-key";

/**
 * Returns the keys that encrypt and decrypt secrets in the database: DATA_KEY, else the stored ones, else a new one, which
 * it stores. Throws ConfigError when there is no key and the database holds data of another key.
 */
export async function ensureDataKeys(config: Config, databaseUrl: string): Promise<DataKeys> {
  const keys = await findDataKeys(config);
  if (keys) return keys;
  if ((await findEncryptedCheck(databaseUrl)) !== undefined) throw new ConfigError(missingKey(config));
  return [Buffer.from(await ensureSecret(config.dataDir, DATA_KEY_FILE, "base64"), "base64")];
}

/** Returns the present data keys, or undefined before the first start creates one. */
export async function findDataKeys({ dataKeys, dataDir }: Config): Promise<DataKeys | undefined> {
  return dataKeys ?? (await readDataKeyFile(dataDir));
}

/** Returns the keys of the file in a data folder, or undefined if the folder has no such file. Throws ConfigError. */
export async function readDataKeyFile(dataDir: string): Promise<DataKeys | undefined> {
  return readDataKeys(join(dataDir, DATA_KEY_FILE), await findSecret(dataDir, DATA_KEY_FILE));
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
    `The database was first started with a data key, and ${join(dataDir, DATA_KEY_FILE)} is not there: ` +
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

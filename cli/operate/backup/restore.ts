import { chmod, mkdir, readFile, readdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import pg from "pg";
import { ConfigError, type Config, type DataKeys } from "../../../src/platform/config/config.ts";
import {
  exists,
  hasCode,
  isAlive,
  syncFolder,
} from "../../../src/platform/db/embedded-postgres/file-system.ts";
import { findBinaries } from "../../../src/platform/db/embedded-postgres/binaries.ts";
import { launchPostgres } from "../../../src/platform/db/embedded-postgres/launch-postgres.ts";
import { awaitFreeFolder } from "../../../src/platform/db/embedded-postgres/lock-file.ts";
import { Encryption } from "../../../src/platform/db/encryption.ts";
import { keepPrivately } from "../../../src/platform/config/private-file.ts";
import { encryptedCheckOf, findDataKeys, readDataKeyFile } from "../keys/data-key.ts";
import { DATABASE_NAME } from "../../serve/database.ts";
import { findSecret } from "../keys/kept-secret.ts";
import { SECRETS, type Description } from "./layout.ts";
import { unpackBackup } from "./unpack.ts";
import { verifyData, type VerifiedData } from "./verify.ts";

export interface RestoreOptions {
  readonly config: Config;
  readonly file: string;
  readonly onNotice: (line: string) => void;
}

/** What was restored. */
export interface RestoredBackup extends VerifiedData {
  readonly description: Description;
}

const FOLDER = ".restoring";
const PID = "pid";
const ENDING_MS_MAX = 15_000;
/** The folder that makes a data folder one with a database. It is put in its place last. */
const DATABASE = "postgres";

/**
 * Restores a backup into a data folder without a database: files, books and seals are checked beside it, and then put in
 * their place. An interrupted restore leaves no database. Throws Error if the backup is damaged, wrong or of a newer
 * release, ConfigError if the folder has a database or the data key is not there.
 */
export async function restoreBackup({ config, file, onNotice }: RestoreOptions): Promise<RestoredBackup> {
  const dataDir = resolve(config.dataDir);
  if (!(await stat(file).catch(() => undefined))?.isFile()) {
    throw new Error(`${file} is not there, or is no file: name one that backup wrote.`);
  }
  if (await exists(join(dataDir, DATABASE))) {
    throw new ConfigError(
      `${dataDir} has a database, and a restore replaces none: stop the service and move ${join(dataDir, DATABASE)} and its media folder away, or name another DATA_DIR.`,
    );
  }
  await mkdir(dataDir, { recursive: true });
  const staging = await openStaging(dataDir);
  try {
    const restored = await restoreBeside(staging, { config, file, onNotice });
    await putInPlace(staging, dataDir);
    return restored;
  } finally {
    await removeStaging(staging);
  }
}

/** Removes the folder of a restore. The cluster in it may be a link to another place. */
async function removeStaging(staging: string): Promise<void> {
  const cluster = await realpath(join(staging, DATABASE, "cluster")).catch(() => undefined);
  for (const folder of [...(cluster === undefined ? [] : [cluster]), staging]) {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Makes the folder of this restore. Removes that of an interrupted one. Throws ConfigError if another one runs. */
async function openStaging(dataDir: string): Promise<string> {
  const staging = join(dataDir, FOLDER);
  const pid = Number(await readFile(join(staging, PID), "utf8").catch(() => ""));
  if (pid > 0 && pid !== process.pid && isAlive(pid)) {
    throw new ConfigError(
      `Process ${pid} restores a backup in ${dataDir}. If it does not, remove ${staging}.`,
    );
  }
  const left = await realpath(join(staging, DATABASE, "cluster")).catch(() => undefined);
  // Its server ends by itself.
  if (left !== undefined) await awaitFreeFolder(left, performance.now() + ENDING_MS_MAX);
  await removeStaging(staging);
  await mkdir(staging);
  await writeFile(join(staging, PID), String(process.pid));
  // Passable for PostgreSQL's own user under root. What is in it is private.
  await chmod(staging, 0o711);
  return staging;
}

async function restoreBeside(
  staging: string,
  { config, file, onNotice }: RestoreOptions,
): Promise<RestoredBackup> {
  const { major } = await findBinaries();
  let description: Description | undefined;
  const postgres = await launchPostgres({
    dataDir: join(staging, DATABASE),
    fill: async (cluster, account) => {
      await unpackBackup(file, {
        cluster,
        account,
        others: staging,
        onDescription: (found) => {
          description = found;
          if (found.postgres === major) return;
          throw new Error(
            `The backup is of PostgreSQL ${found.postgres}, this release has ${major}: restore it with release ${found.release}.`,
          );
        },
      });
    },
    onNotice,
  });
  try {
    if (description === undefined) throw new Error("The backup was not unpacked.");
    const url = postgres.connectionString(DATABASE_NAME);
    const dataKeys = await dataKeysFor(url, config, staging);
    return { description, ...(await verifyData(url, { ...config, dataDir: staging }, dataKeys)) };
  } finally {
    await postgres.stop();
  }
}

/** Returns the keys of the restored database. Throws ConfigError if they are neither configured nor in the backup. */
async function dataKeysFor(url: string, config: Config, staging: string): Promise<DataKeys> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let check: string | undefined;
  try {
    check = await encryptedCheckOf(client);
  } finally {
    await client.end();
  }
  if (check === undefined) throw new Error("The backup was taken before the first start had ended.");
  const configured = await findDataKeys(config);
  if (configured !== undefined) {
    if (await Encryption.fits(configured, check)) return configured;
    const where = config.dataKeys ? "DATA_KEY" : join(config.dataDir, "data-key");
    throw new ConfigError(
      `${where} is not the key of this backup: set the one that was used when it was taken.`,
    );
  }
  const kept = await readDataKeyFile(staging);
  if (kept !== undefined) return kept;
  throw new ConfigError(
    `The data key is not in this backup: set DATA_KEY, or bring ${join(config.dataDir, "data-key")} back, and restore again.`,
  );
}

/** The database is last: until it is there, the data folder has none. */
async function putInPlace(staging: string, dataDir: string): Promise<void> {
  for (const name of SECRETS) {
    const kept = await findSecret(staging, name);
    if (kept !== undefined) await keepPrivately(join(dataDir, name), kept);
  }
  const pictures = join(staging, "media");
  const names = await readdir(pictures).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  });
  if (names.length > 0) await mkdir(join(dataDir, "media"), { recursive: true, mode: 0o700 });
  for (const name of names) await rename(join(pictures, name), join(dataDir, "media", name));
  if (names.length > 0) await syncFolder(join(dataDir, "media"));
  await rename(join(staging, DATABASE), join(dataDir, DATABASE));
  await syncFolder(dataDir);
}

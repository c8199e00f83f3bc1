import { join, resolve } from "node:path";
import type pg from "pg";
import type { Config } from "../../../src/platform/config/config.ts";
import { exists } from "../../../src/platform/db/embedded-postgres/file-system.ts";
import { Encryption } from "../../../src/platform/db/encryption.ts";
import { findDataKeys, missingKey, encryptedCheckOf } from "../keys/data-key.ts";
import { findingsOf, type Finding } from "./finding.ts";

const { ok, warning, problem } = findingsOf("data key");

/** Checks whether the data key decrypts the secrets in the database. */
export async function checkDataKey(client: pg.Client, config: Config): Promise<Finding> {
  const keys = await findDataKeys(config);
  const encrypted = await encryptedCheckOf(client);
  if (encrypted === undefined) return ok("the first start decides it");
  const where = config.dataKeys ? "DATA_KEY" : `${config.dataDir}/data-key`;
  if (keys === undefined) {
    return problem(
      `the database holds encrypted secrets, and there is no key (${where})`,
      "Bring the key back, from a backup or from another process of this service: a new one cannot open them.",
    );
  }
  if (await Encryption.fits(keys, encrypted)) {
    if (keys.length === 1) return ok(`${where} opens this database's secrets`);
    return warning(`${where} holds former keys too`, "Finish their rotation: docs/backup.md says how.");
  }
  const advice = "Set DATA_KEY, or DATA_DIR, to what this database was first started with.";
  return problem(`${where} is not the key that this database's secrets are encrypted with`, advice);
}

/** Checks the key of an embedded database that is not running: it cannot be compared. */
export async function judgeUncomparedKey(config: Config): Promise<Finding> {
  const isNew = !(await exists(join(resolve(config.dataDir), "postgres", "cluster")));
  if (isNew) return ok("the first start decides it");
  if ((await findDataKeys(config)) === undefined) {
    return problem(missingKey(config), "A new key cannot open what is in the database.");
  }
  if (!config.dataKeys) return ok(`${config.dataDir}/data-key is there`);
  return warning("DATA_KEY cannot be compared while the database does not run", "Look again once it runs.");
}

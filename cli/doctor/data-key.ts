import type pg from "pg";
import type { Config } from "../../src/platform/config.ts";
import { Sealer } from "../../src/platform/sealer.ts";
import { findDataKey } from "../data-key.ts";
import { findingsOf, type Finding } from "./finding.ts";

const { ok, problem } = findingsOf("data key");

/** Looks whether the data key opens what the database's secrets were sealed with. */
export async function checkDataKey(client: pg.Client, config: Config): Promise<Finding> {
  const key = await findDataKey(config);
  const { rows: found } = await client.query("SELECT to_regclass('identity.data_key_check') AS name");
  const { rows } = found[0]?.name
    ? await client.query<{ sealed: string }>("SELECT sealed FROM identity.data_key_check")
    : { rows: [] };
  const sealed = rows[0]?.sealed;
  if (sealed === undefined) return ok("the first start decides it");
  const where = config.dataKey ? "DATA_KEY" : `${config.dataDir}/data-key`;
  if (key === undefined) {
    return problem(
      `the database holds sealed secrets, and there is no key (${where})`,
      "Bring the key back, from a backup or from another process of this service: a new one cannot open them.",
    );
  }
  if (await Sealer.fits(key, sealed)) return ok(`${where} opens this database's secrets`);
  const advice = "Set DATA_KEY, or DATA_DIR, to what this database was first started with.";
  return problem(`${where} is not the key that this database's secrets were sealed with`, advice);
}

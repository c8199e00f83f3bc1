import { createClient, type Transport } from "@connectrpc/connect";
import { randomBytes } from "node:crypto";
import pg from "pg";
import { HEADERS } from "../../../contract/headers.ts";
import { messageWriter } from "../../../gateway/transcode/message-writer.ts";
import { Mode } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerService } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { createCore } from "../../../src/app.ts";
import { MIGRATIONS, migrate } from "../../../src/migrations/migrate.ts";
import { MODES } from "../../../src/platform/rpc/caller.ts";
import { systemClock } from "../../../src/platform/time/clock.ts";
import type { Config, DataKeys } from "../../../src/platform/config/config.ts";
import { API_VERSIONS } from "../../serve/api-versions.ts";
import { judgeMigrations, lookAtMigrations } from "../doctor/migrations.ts";
import { openMediaStorage } from "../../serve/media-storage.ts";

/** What was found to be right. */
export interface VerifiedData {
  readonly payments: number;
  readonly entries: number;
  readonly sealedDays: number;
}

// The core of a restore has no other caller.
const TOKEN = randomBytes(32).toString("base64url");
const MODE_NUMBERS = { live: Mode.LIVE, test: Mode.TEST } as const;

/** Throws Error if a newer release has changed the database. */
async function requireKnownMigrations(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { status, found } = judgeMigrations(await lookAtMigrations(client, MIGRATIONS.keys()), MIGRATIONS);
    if (status === "problem") throw new Error(`${found}: restore it with the release that took it.`);
  } finally {
    await client.end();
  }
}

/**
 * Brings the database up to date, as a start does, then checks the books of both modes and every seal. Throws Error if
 * anything is wrong.
 */
export async function verifyData(url: string, config: Config, dataKeys: DataKeys): Promise<VerifiedData> {
  const [dataKey, ...formerDataKeys] = dataKeys;
  await requireKnownMigrations(url);
  await migrate(url);
  const core = await createCore({
    databaseUrl: url,
    databaseTimeoutMs: config.databaseTimeoutMs,
    coreToken: TOKEN,
    apiVersions: API_VERSIONS,
    checkoutBase: config.checkoutBase,
    publicUrl: config.callbackBase,
    consoleUrl: `${config.publicUrl}/console`,
    mediaBase: config.mediaBase,
    mediaStorage: openMediaStorage(config),
    dataKey,
    formerDataKeys,
    allowLoopbackWebhooks: false,
    jsonWriter: messageWriter,
    clock: systemClock,
    log: { info: () => undefined, error: () => undefined },
  });
  try {
    const books = await checkBooks(core.transport);
    return { ...books, sealedDays: await checkSeals(core.transport, url) };
  } finally {
    await core.close();
  }
}

async function checkBooks(transport: Transport): Promise<{ payments: number; entries: number }> {
  const ledger = createClient(LedgerService, transport);
  let [payments, entries] = [0, 0];
  for (const mode of MODES) {
    const found = await ledger.checkLedger({ mode: MODE_NUMBERS[mode] }, { headers: headers({}) });
    const [problem] = found.problems;
    if (problem) {
      throw new Error(
        `The books of ${mode} mode are wrong, ${found.problems.length} problems. The first: ${problem.code}, ${problem.detail}`,
      );
    }
    payments += Number(found.paymentCount);
    entries += Number(found.entryCount);
  }
  return { payments, entries };
}

async function checkSeals(transport: Transport, url: string): Promise<number> {
  const ledger = createClient(LedgerService, transport);
  const seals = await sealsOf(url);
  for (const { mode, tenant, day } of seals) {
    const as = headers({ [HEADERS.tenant]: tenant, [HEADERS.mode]: mode });
    const { isIntact } = await ledger.verifySeal({ day }, { headers: as });
    if (!isIntact) throw new Error(`The seal of ${day} of ${tenant} in ${mode} mode is broken.`);
  }
  return seals.length;
}

interface SealedDay {
  readonly mode: string;
  readonly tenant: string;
  readonly day: string;
}

async function sealsOf(url: string): Promise<SealedDay[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const found: SealedDay[] = [];
    for (const mode of MODES) {
      const { rows } = await client.query<Omit<SealedDay, "mode">>(
        `SELECT tenant_id AS tenant, day::text FROM ${mode}.day_seal ORDER BY tenant_id, day`,
      );
      found.push(...rows.map((row) => ({ mode, ...row })));
    }
    return found;
  } finally {
    await client.end();
  }
}

function headers(more: Readonly<Record<string, string>>): Record<string, string> {
  return { authorization: `Bearer ${TOKEN}`, [HEADERS.actor]: "command_line", ...more };
}

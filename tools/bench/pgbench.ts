import { execFile } from "node:child_process";
import { access, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const DEBIAN = "/usr/lib/postgresql";
const ROWS_TOGETHER = 32;

/** Links a second that PostgreSQL makes for a client without work of its own: one, and 32, in a statement. */
export interface StatementRates {
  readonly one: number;
  readonly together: number;
}

/** Returns the rates of statements like this service's own; undefined where there is no pgbench. */
export async function statementRates(
  databaseUrl: string,
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<StatementRates | undefined> {
  const program = await findPgbench();
  if (program === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), "paylink-pgbench-"));
  const rate = async (rows: number): Promise<number> => {
    const file = join(folder, `${rows}.sql`);
    await writeFile(file, scriptOf(rows));
    const args = ["-n", "-M", "prepared", "-c", String(connections), "-T", String(seconds), "-f", file];
    const env = { ...process.env, PGOPTIONS: "-c search_path=test,identity" };
    const { stdout } = await promisify(execFile)(program, [...args, databaseUrl], { env });
    return rows * Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
  };
  try {
    return { one: await rate(1), together: await rate(ROWS_TOGETHER) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function findPgbench(): Promise<string | undefined> {
  const versions = await readdir(DEBIAN).catch(() => []);
  const folders = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    ...versions.map((version) => join(DEBIAN, version, "bin")),
  ];
  for (const folder of folders) {
    const file = join(folder, "pgbench");
    if (await isThere(file)) return file;
  }
  return undefined;
}

async function isThere(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  );
}

function scriptOf(rows: number): string {
  return String.raw`\set n random(1, 1000000000000000)
WITH given AS (SELECT (:n)::bigint::text || '-' || row AS id FROM generate_series(1, ${rows}) AS row),
claim AS (INSERT INTO idempotency (tenant_id, key, fingerprint, request_id, response, created_at, expires_at)
  SELECT 'ten_pgbench', id, decode(repeat('00', 32), 'hex'), 'req_' || id, decode(repeat('20', 700), 'hex'), now(),
    now() + interval '1 day' FROM given ON CONFLICT DO NOTHING RETURNING key),
link AS (INSERT INTO payment_link (tenant_id, id, status, is_campaign, amount_minor, currency, payout_currency,
    legal_entity_id, reference, payment_methods, max_installments, fee_handling, description, product_ref, details,
    product_images, collect_fields, metadata, expires_at, created_at)
  SELECT 'ten_pgbench', 'pl_' || key, 'active', false, 15990, 'BRL', 'BRL', 'le_1', 'order-1042', '{pix}', 12, 'absorb',
    'Running shoes', 'SKU-7', NULL, '{}', '{}', '{"order":"1042","channel":"web"}', now() + interval '1 day', now()
  FROM claim)
INSERT INTO route (id, tenant_id, mode) SELECT 'pl_' || key, 'ten_pgbench', 'test' FROM claim;
`;
}

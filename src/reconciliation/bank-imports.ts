import { hash } from "node:crypto";
import type { ServiceImpl } from "@connectrpc/connect";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Decision } from "../platform/write/decision.ts";
import type pg from "pg";
import type {
  ImportBankFileResponseSchema,
  ReconciliationService,
} from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { dayAt } from "../../contract/day.ts";
import { newId } from "../../contract/ids.ts";
import { idAsCursor, keysetPage } from "../platform/db/keyset-page.ts";
import { LONG_QUERY_MS } from "../platform/db/query-limits.ts";
import { actorName } from "../platform/rpc/actor.ts";
import { checkOwnText } from "../platform/rpc/metadata.ts";
import { semaphoreOf } from "../platform/limits/semaphores.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { insert, within } from "../platform/write/change.ts";
import { mappingOf, requireBankAccount } from "./bank-accounts.ts";
import { readBankFile, type BankFileLine } from "./bank-files/bank-file.ts";
import { readMapping } from "./bank-files/mapping.ts";
import type { ReconciliationDeps } from "./deps.ts";
import { BankImport, type BankAccountRow, type BankImportRow } from "./entities.ts";
import { toBankImport } from "./mapping.ts";
import { analyzeGrown } from "./statistics.ts";
import { makeRunDue } from "./run-state.ts";

type Rpcs = Pick<
  ServiceImpl<typeof ReconciliationService>,
  "previewBankImport" | "importBankFile" | "listBankImports"
>;

type Imported = MessageInitShape<typeof ImportBankFileResponseSchema>;

const LIMIT_DEFAULT = 100;
const SHOWN_LINES = 200;
const SHOWN_REJECTED = 100;
const BATCH = 5000;
// A file of 20 MB occupies the process for a second, and memory for its lines.
const FILES = { total: 2, perKey: 1, waitingPerKey: 8, waitingTotal: 64 };

/** The RPCs of banks' files. `matchSoon` matches what was imported, if that takes no long time. */
export function bankImportRpcs(
  deps: ReconciliationDeps,
  matchSoon: (mode: "live" | "test", tenantId: string, lineCount: number) => Promise<void>,
): Rpcs {
  const { operations, clock } = deps;
  const files = semaphoreOf(FILES);
  const today = (): string => dayAt(clock.nowMs()).toString();
  return {
    previewBankImport: operations.run(async ({ bankAccountId, content, mapping }, operation) => {
      const { tenantId, mode, environment } = operation;
      const account = await requireBankAccount(environment, tenantId, bankAccountId);
      const columns = mapping === undefined ? storedMapping(account) : mappingOf(mapping);
      return await files.run(`${mode} ${tenantId}`, async () => {
        const { lines, rejected } = readBankFile(content, columns, today());
        const known = await knownOf(environment.pool, account, lines);
        return {
          lines: lines.slice(0, SHOWN_LINES).map((line, place) => ({
            day: line.day,
            amount: line.amountMinor,
            currency: line.currency,
            text: line.text,
            bankId: line.bankId,
            isKnown: known.has(place),
          })),
          lineCount: lines.length,
          knownCount: known.size,
          rejected: rejected.slice(0, SHOWN_REJECTED),
          rejectedCount: rejected.length,
          newAmount: lines.reduce(
            (sum, line, place) => (known.has(place) ? sum : sum + line.amountMinor),
            0n,
          ),
        };
      });
    }),
    importBankFile: operations.write({
      check: ({ fileName }) => checkOwnText("file_name", fileName),
      decide: async ({ bankAccountId, fileName, content }, operation): Promise<Decision<Imported>> => {
        const { tenantId, mode, environment, context } = operation;
        const account = await requireBankAccount(environment, tenantId, bankAccountId);
        const sha256 = hash("sha256", content, "hex");
        const em = environment.orm.em.fork();
        const former = await em.findOne(BankImport, { tenantId, bankAccountId, sha256 });
        if (former) {
          const knownCount = former.importedCount + former.knownCount;
          return { response: { bankImport: toBankImport(former), knownCount }, changes: [] };
        }
        return await files.run(`${mode} ${tenantId}`, async () => {
          const { lines, rejected, balance } = readBankFile(content, storedMapping(account), today());
          if (rejected.length > 0) {
            const shown = rejected.slice(0, SHOWN_REJECTED);
            return { response: { rejected: shown, rejectedCount: rejected.length }, changes: [] };
          }
          const known = await knownOf(environment.pool, account, lines);
          const row = {
            tenantId,
            id: newId("bki"),
            bankAccountId,
            fileName,
            sha256,
            importedCount: lines.length - known.size,
            knownCount: known.size,
            balanceDay: balance?.day ?? null,
            balanceMinor: balance?.minor ?? null,
            importedBy: actorName(context),
            importedAt: wholeSecond(clock),
          };
          const isNew = lines.filter((_, place) => !known.has(place));
          const firstDay = isNew.reduce((first, { day }) => (day < first ? day : first), "9999-12-31");
          const { importedCount, knownCount } = row;
          return {
            response: { bankImport: toBankImport(row), importedCount, knownCount },
            changes: [
              insert(BankImport, row),
              within(async (client) => {
                await client.query(`SET LOCAL statement_timeout = ${LONG_QUERY_MS}`);
                await insertLines(client, row, isNew);
                await analyzeGrown(client, "bank_line", isNew.length);
                await makeRunDue(client, clock, tenantId, isNew.length > 0 ? firstDay : null);
              }),
            ],
            audit: {
              objectId: bankAccountId,
              isApart: true,
              details: { import: row.id, file_name: fileName, sha256, importedCount, knownCount },
            },
          };
        });
      },
      follow: async (response, { tenantId, mode }) => {
        if (response.bankImport) await matchSoon(mode, tenantId, response.importedCount ?? 0);
        return response;
      },
    }),
    listBankImports: operations.run(async ({ bankAccountId, limit, startingAfter }, operation) => {
      const { tenantId, environment } = operation;
      await requireBankAccount(environment, tenantId, bankAccountId);
      const { rows, ...page } = await keysetPage<BankImportRow, string>({
        limit: limit ?? LIMIT_DEFAULT,
        startingAfter,
        what: "the id of an import",
        find: idAsCursor("bki"),
        read: async (after, rowCount) =>
          await environment.orm.em
            .fork()
            .find(
              BankImport,
              { tenantId, bankAccountId, ...(after === undefined ? {} : { id: { $lt: after } }) },
              { orderBy: { id: "desc" }, limit: rowCount },
            ),
      });
      return { imports: rows.map(toBankImport), ...page };
    }),
  };
}

function storedMapping({ mapping }: BankAccountRow) {
  return mapping == null ? null : readMapping(mapping);
}

/** Returns the places of the lines that are imported already. */
async function knownOf(
  pool: pg.Pool,
  { tenantId, id }: BankAccountRow,
  lines: readonly BankFileLine[],
): Promise<Set<number>> {
  const known = new Set<number>();
  for (let from = 0; from < lines.length; from += BATCH) {
    const part = lines.slice(from, from + BATCH);
    const { rows } = await pool.query<{ place: number }>({
      name: "known bank lines",
      text: `SELECT new.place::int AS place FROM unnest($3::date[], $4::int8[], $5::text[], $6::int[]) WITH ORDINALITY
          AS new (day, amount_minor, bank_id, ordinal, place)
        JOIN bank_line line ON line.tenant_id = $1 AND line.bank_account_id = $2 AND line.day = new.day
          AND line.amount_minor = new.amount_minor AND line.bank_id = new.bank_id COLLATE "C"
          AND line.ordinal = new.ordinal`,
      values: [tenantId, id, ...keysOf(part)],
    });
    for (const { place } of rows) known.add(from + place - 1);
  }
  return known;
}

/** A line that another import brings at the same time fails the insertion: the file is looked at again then. */
async function insertLines(
  client: pg.PoolClient,
  { tenantId, bankAccountId, id: importId }: { tenantId: string; bankAccountId: string; id: string },
  lines: readonly BankFileLine[],
): Promise<void> {
  for (let from = 0; from < lines.length; from += BATCH) {
    const part = lines.slice(from, from + BATCH);
    await client.query({
      name: "insert bank lines",
      text: `INSERT INTO bank_line (tenant_id, bank_account_id, import_id, day, amount_minor, bank_id, ordinal, id,
          currency, text, raw_sha256)
        SELECT $1, $2, $3, new.* FROM unnest($4::date[], $5::int8[], $6::text[], $7::int[], $8::text[], $9::text[],
          $10::text[], $11::text[]) AS new`,
      values: [
        tenantId,
        bankAccountId,
        importId,
        ...keysOf(part),
        part.map(() => newId("bkl")),
        part.map(({ currency }) => currency),
        part.map(({ text }) => text),
        part.map(({ raw }) => hash("sha256", raw, "hex")),
      ],
    });
  }
}

function keysOf(lines: readonly BankFileLine[]) {
  return [
    lines.map(({ day }) => day),
    lines.map(({ amountMinor }) => amountMinor),
    lines.map(({ bankId }) => bankId),
    lines.map(({ ordinal }) => ordinal),
  ];
}

import type { Environment } from "../platform/db/database.ts";
import type { LineKind } from "../providers/account-statement.ts";
import type { BankLine, Lines, OpenLines, OurLine, TheirLine } from "./matching/lines.ts";
import { reachesBank } from "./matching/entry.ts";
import type { RunAccount } from "./run-accounts.ts";

type Pool = Pick<Environment, "pool">;

const OURS = `account_id AS "accountId", id, kind, day::text AS day, amount_minor::text AS minor,
  payment_id AS "paymentId", reference, end_to_end_id AS "endToEndId", provider_payment_id AS "providerPaymentId",
  installment, due_on::text AS "dueOn"`;
const THEIRS = `account_id AS "accountId", kind, provider_line_id AS id, day::text AS day,
  amount_minor::text AS minor, reference, end_to_end_id AS "endToEndId", provider_payment_id AS "providerPaymentId",
  installment, settlement_id AS "settlementId", text`;
const BANK = `id, bank_account_id AS "bankAccountId", day::text AS day, amount_minor::text AS minor, text,
  bank_id AS "bankId"`;
// A bank line that is there again is so within some days.
const AGAIN_DAYS = 45;

type Stored<L> = Omit<L, "amountMinor"> & { readonly minor: string };
type StoredOurs = Stored<Omit<OurLine, "terms">>;
type StoredTheirs = Stored<Omit<TheirLine, "currency" | "at" | "balanceMinor" | "raw" | "dueOn">>;

/**
 * Returns all that is open at the end of a day. A payout of a day up to which the bank's lines are not imported is left
 * out: there is nothing that it could match.
 */
export async function findOpen(
  { pool }: Pool,
  tenantId: string,
  accounts: readonly RunAccount[],
  day: string,
): Promise<OpenLines> {
  const ids = accounts.map(({ id }) => id);
  const banks = accounts.flatMap(({ bank, bankedUntil, id }) =>
    bank && bankedUntil !== null ? [{ id, bankAccountId: bank.accountId, bankedUntil }] : [],
  );
  const [ours, theirs, payouts, bank] = await Promise.all([
    pool.query<StoredOurs>({
      name: "open book lines",
      text: `SELECT ${OURS} FROM book_line
        WHERE tenant_id = $1 AND match_id IS NULL AND day <= $2 AND account_id = ANY ($3) ORDER BY day, id`,
      values: [tenantId, day, ids],
    }),
    pool.query<StoredTheirs>({
      name: "open statement lines",
      text: `SELECT ${THEIRS} FROM statement_line WHERE tenant_id = $1 AND books_match_id IS NULL
          AND kind <> 'transfer' AND day <= $2 AND account_id = ANY ($3) ORDER BY day, kind, provider_line_id`,
      values: [tenantId, day, ids],
    }),
    pool.query<StoredTheirs>({
      name: "open payouts",
      text: `SELECT ${THEIRS} FROM statement_line
        JOIN unnest($3::text[], $4::date[]) AS own (own_account, until) ON account_id = own_account COLLATE "C"
        WHERE tenant_id = $1 AND bank_match_id IS NULL AND day <= least($2, until)
        ORDER BY day, kind, provider_line_id`,
      values: [tenantId, day, banks.map(({ id }) => id), banks.map(({ bankedUntil }) => bankedUntil)],
    }),
    pool.query<Stored<BankLine>>({
      name: "open bank lines",
      text: `SELECT ${BANK} FROM bank_line WHERE tenant_id = $1 AND match_id IS NULL AND day <= $2
          AND currency = 'BRL' AND bank_account_id = ANY ($3) ORDER BY day, id`,
      values: [tenantId, day, banks.map(({ bankAccountId }) => bankAccountId)],
    }),
  ]);
  const byId = new Map(accounts.map((account) => [account.id, account]));
  const open = {
    ours: ours.rows.map(toOurs),
    theirs: theirs.rows.map(toTheirs),
    payouts: payouts.rows.map(toTheirs).filter((line) => reachesBank(line, byId.get(line.accountId))),
    bank: bank.rows.map(toBank),
  };
  return { ...open, ours: [...open.ours, ...(await findLater({ pool }, tenantId, day, open.theirs))] };
}

/** Returns lines of ours of later days that statement lines name: an installment may come before its day. */
async function findLater(
  { pool }: Pool,
  tenantId: string,
  day: string,
  theirs: readonly TheirLine[],
): Promise<OurLine[]> {
  const names = [...new Set(theirs.flatMap(({ providerPaymentId }) => providerPaymentId ?? []))];
  if (names.length === 0) return [];
  const { rows } = await pool.query<StoredOurs>({
    name: "later book lines",
    text: `SELECT ${OURS} FROM book_line WHERE tenant_id = $1 AND provider_payment_id = ANY ($2) AND day > $3
      AND match_id IS NULL ORDER BY day, id`,
    values: [tenantId, names, day],
  });
  return rows.map(toOurs);
}

/** Returns matched lines of both sides that have a name of an open line: an open one may be such a line once more. */
export async function findNamed(
  { pool }: Pool,
  tenantId: string,
  open: OpenLines,
): Promise<Omit<Lines, "bank">> {
  const lines = [...open.ours, ...open.theirs, ...open.payouts];
  const names = namesOf(lines);
  const [ours, theirs] = await Promise.all([
    pool.query<StoredOurs>({
      name: "matched book lines of names",
      text: `SELECT ${OURS} FROM book_line WHERE tenant_id = $1 AND ${isMatched("match_id")}
        AND (end_to_end_id = ANY ($2) OR provider_payment_id = ANY ($3) OR reference = ANY ($4))`,
      values: [tenantId, names.endToEndIds, names.payments, names.references],
    }),
    pool.query<StoredTheirs>({
      name: "matched statement lines of names",
      text: `SELECT ${THEIRS} FROM statement_line WHERE tenant_id = $1
        AND (${isMatched("books_match_id")} OR ${isMatched("bank_match_id")}) AND (end_to_end_id = ANY ($2)
          OR provider_payment_id = ANY ($3) OR reference = ANY ($4) OR settlement_id = ANY ($5))`,
      values: [tenantId, names.endToEndIds, names.payments, names.references, names.settlements],
    }),
  ]);
  return { ours: ours.rows.map(toOurs), theirs: theirs.rows.map(toTheirs) };
}

/** Returns matched bank lines of the amounts of some bank lines, which may be there once more. */
export async function findSameAmount(
  { pool }: Pool,
  tenantId: string,
  lines: readonly BankLine[],
): Promise<BankLine[]> {
  if (lines.length === 0) return [];
  const firstDay = lines.reduce((first, { day }) => (day < first ? day : first), "9999-12-31");
  const { rows } = await pool.query<Stored<BankLine>>({
    name: "matched bank lines of amounts",
    text: `SELECT ${BANK} FROM bank_line WHERE tenant_id = $1 AND match_id IS NOT NULL AND currency = 'BRL'
      AND bank_account_id = ANY ($2) AND amount_minor = ANY ($3) AND day >= $4::date - ${AGAIN_DAYS}`,
    values: [
      tenantId,
      [...new Set(lines.map(({ bankAccountId }) => bankAccountId))],
      [...new Set(lines.map(({ amountMinor }) => amountMinor))],
      firstDay,
    ],
  });
  return rows.map(toBank);
}

/** Returns the statement lines with which some bank lines are matched: a further bank line may have a name of theirs. */
export async function findPartners(
  { pool }: Pool,
  tenantId: string,
  lines: readonly BankLine[],
): Promise<TheirLine[]> {
  const { rows } = await pool.query<StoredTheirs>({
    name: "statement lines of matched bank lines",
    text: `SELECT ${THEIRS} FROM statement_line WHERE tenant_id = $1 AND bank_match_id IN (
      SELECT match_id FROM bank_line WHERE tenant_id = $1 AND id = ANY ($2) AND match_id IS NOT NULL)`,
    values: [tenantId, lines.map(({ id }) => id)],
  });
  return rows.map(toTheirs);
}

/** Written so that a line is found by its name: the index of matches would be read as a whole. */
function isMatched(column: string): string {
  return `coalesce(${column}, '') <> ''`;
}

function namesOf(lines: readonly (OurLine | TheirLine)[]) {
  const of = (read: (line: OurLine | TheirLine) => string | null): string[] => [
    ...new Set(lines.flatMap((line) => read(line) ?? [])),
  ];
  return {
    endToEndIds: of(({ endToEndId }) => endToEndId),
    payments: of(({ providerPaymentId }) => providerPaymentId),
    references: of(({ reference }) => reference),
    settlements: of((line) =>
      "settlementId" in line && line.kind === "transfer" ? line.settlementId : null,
    ),
  };
}

function toOurs({ minor, ...line }: StoredOurs): OurLine {
  // What is agreed was applied when the line was stored.
  return { ...line, kind: line.kind satisfies LineKind, amountMinor: BigInt(minor), terms: null };
}

function toTheirs({ minor, ...line }: StoredTheirs): TheirLine {
  const amountMinor = BigInt(minor);
  return { ...line, at: null, amountMinor, currency: "BRL", balanceMinor: null, raw: "", dueOn: line.day };
}

function toBank({ minor, ...line }: Stored<BankLine>): BankLine {
  return { ...line, amountMinor: BigInt(minor) };
}

import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  BankLineSchema,
  BookLineSchema,
  StatementLineSchema,
  type BankLine,
  type BookLine,
  type MatchRule,
  type ReconciliationService,
  type StatementLine,
} from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { isId } from "../../contract/ids.ts";
import type { LineKind } from "../providers/account-statement.ts";
import { keysetPage } from "../platform/db/keyset-page.ts";
import { stampOf } from "../platform/time/timestamps.ts";
import { dateOf, daysOfList, msOf } from "./times.ts";
import { requireBankAccount } from "./bank-accounts.ts";
import type { ReconciliationDeps } from "./deps.ts";
import { kinds, rules } from "./mapping.ts";
import { bankKey, ourKey, theirKey, type Rule } from "./matching/lines.ts";

const LIMIT_DEFAULT = 100;

type Rpcs = Pick<
  ServiceImpl<typeof ReconciliationService>,
  "listBankLines" | "listStatementLines" | "listBookLines"
>;

/** The RPCs of lines as they came, latest day first. */
export function lineListRpcs({ operations }: ReconciliationDeps): Rpcs {
  return {
    listBankLines: operations.run(async (request, { tenantId, environment }) => {
      const { bankAccountId, isOpen, amount = null } = request;
      const [from, to] = daysOfList(request);
      await requireBankAccount(environment, tenantId, bankAccountId);
      const { pool } = environment;
      const { rows, ...page } = await keysetPage<FoundBankLine, readonly [string, string]>({
        limit: request.limit ?? LIMIT_DEFAULT,
        startingAfter: request.startingAfter,
        what: "the id of a line of the bank account",
        find: async (id) => {
          if (!isId("bkl", id)) return undefined;
          const { rows: found } = await pool.query<{ day: string }>({
            name: "place of a bank line",
            text: `SELECT day::text AS day FROM bank_line
              WHERE tenant_id = $1 AND bank_account_id = $2 AND id = $3`,
            values: [tenantId, bankAccountId, id],
          });
          return found[0] && [found[0].day, id];
        },
        read: async (after, rowCount) => {
          const { rows: found } = await pool.query<FoundBankLine>({
            name: "bank lines",
            text: `SELECT line.id, line.day::text AS day, line.amount_minor::text AS "amountMinor", line.currency,
                line.text, line.bank_id AS "bankId", line.import_id AS "importId", line.match_id AS "matchId", rule,
                line.raw_sha256 AS "rawSha256"
              FROM bank_line line LEFT JOIN reconciliation_match m ON m.tenant_id = line.tenant_id AND m.id = line.match_id
              WHERE line.tenant_id = $1 AND line.bank_account_id = $2 AND line.day BETWEEN $3 AND $4
                AND ($5::date IS NULL OR (line.day, line.id) < ($5::date, $6 COLLATE "C"))
                AND (NOT $7 OR line.match_id IS NULL) AND ($8::bigint IS NULL OR abs(line.amount_minor) = $8)
              ORDER BY line.day DESC, line.id DESC LIMIT $9`,
            values: [
              tenantId,
              bankAccountId,
              from,
              to,
              after?.[0] ?? null,
              after?.[1] ?? "",
              isOpen,
              amount,
              rowCount,
            ],
          });
          return found;
        },
      });
      return { lines: rows.map((row) => toBankLine(bankAccountId, row)), ...page };
    }),
    listStatementLines: operations.run(async (request, { tenantId, environment }) => {
      const { accountId, amount = null } = request;
      const [from, to] = daysOfList(request);
      const { pool } = environment;
      const { rows, ...page } = await keysetPage<FoundStatementLine, readonly [string, string, string]>({
        limit: request.limit ?? LIMIT_DEFAULT,
        startingAfter: request.startingAfter,
        what: "the key of a line of the account",
        find: async (key) => {
          const [side, account, kind, ...id] = key.split(" ");
          if (side !== "theirs" || account !== accountId) return undefined;
          const { rows: found } = await pool.query<{ day: string }>({
            name: "place of a statement line",
            text: `SELECT day::text AS day FROM statement_line
              WHERE tenant_id = $1 AND account_id = $2 AND kind = $3 AND provider_line_id = $4`,
            values: [tenantId, accountId, kind, id.join(" ")],
          });
          return found[0] && [found[0].day, kind ?? "", id.join(" ")];
        },
        read: async (after, rowCount) => {
          const { rows: found } = await pool.query<Omit<FoundStatementLine, "id">>({
            name: "statement lines",
            text: `SELECT line.kind, provider_line_id AS "providerLineId", line.day::text AS day, ${msOf("at")} AS at,
                amount_minor::text AS "amountMinor", reference, end_to_end_id AS "endToEndId",
                provider_payment_id AS "providerPaymentId", installment, settlement_id AS "settlementId", text,
                balance_minor::text AS "balanceMinor", books_match_id AS "booksMatchId", books.rule AS "booksRule",
                bank_match_id AS "bankMatchId", bank.rule AS "bankRule", raw_sha256 AS "rawSha256"
              FROM statement_line line
              LEFT JOIN reconciliation_match books ON books.tenant_id = line.tenant_id AND books.id = books_match_id
              LEFT JOIN reconciliation_match bank ON bank.tenant_id = line.tenant_id AND bank.id = bank_match_id
              WHERE line.tenant_id = $1 AND line.account_id = $2 AND line.day BETWEEN $3 AND $4
                AND ($5::date IS NULL OR (line.day, line.kind, provider_line_id) < ($5::date, $6, $7 COLLATE "C"))
                AND ($8::bigint IS NULL OR abs(amount_minor) = $8)
              ORDER BY line.day DESC, line.kind DESC, provider_line_id DESC LIMIT $9`,
            values: [tenantId, accountId, from, to, ...(after ?? [null, "", ""]), amount, rowCount],
          });
          return found.map((row) => ({ ...row, id: keyOf(accountId, row) }));
        },
      });
      return { lines: rows.map((row) => toStatementLine(accountId, row)), ...page };
    }),
    listBookLines: operations.run(async (request, { tenantId, environment }) => {
      const { accountId } = request;
      const [from, to] = daysOfList(request);
      const { pool } = environment;
      const { rows, ...page } = await keysetPage<FoundBookLine, readonly [string, string]>({
        limit: request.limit ?? LIMIT_DEFAULT,
        startingAfter: request.startingAfter,
        what: "the key of a line of the account",
        find: async (key) => {
          const [side, ...id] = key.split(" ");
          if (side !== "ours") return undefined;
          const { rows: found } = await pool.query<{ day: string }>({
            name: "place of a book line",
            text: `SELECT day::text AS day FROM book_line WHERE tenant_id = $1 AND account_id = $2 AND id = $3`,
            values: [tenantId, accountId, id.join(" ")],
          });
          return found[0] && [found[0].day, id.join(" ")];
        },
        read: async (after, rowCount) => {
          const { rows: found } = await pool.query<FoundBookLine>({
            name: "book lines",
            text: `SELECT line.id AS "ownId", line.kind, line.day::text AS day, amount_minor::text AS "amountMinor",
                payment_id AS "paymentId", reference, end_to_end_id AS "endToEndId",
                provider_payment_id AS "providerPaymentId", installment, match_id AS "matchId", rule
              FROM book_line line LEFT JOIN reconciliation_match m ON m.tenant_id = line.tenant_id AND m.id = match_id
              WHERE line.tenant_id = $1 AND line.account_id = $2 AND line.day BETWEEN $3 AND $4
                AND ($5::date IS NULL OR (line.day, line.id) < ($5::date, $6 COLLATE "C"))
              ORDER BY line.day DESC, line.id DESC LIMIT $7`,
            values: [tenantId, accountId, from, to, after?.[0] ?? null, after?.[1] ?? "", rowCount],
          });
          return found.map((row) => ({ ...row, id: ourKey({ id: row.ownId }) }));
        },
      });
      return { lines: rows.map((row) => toBookLine(accountId, row)), ...page };
    }),
  };
}

interface FoundBankLine {
  readonly id: string;
  readonly day: string;
  readonly amountMinor: string;
  readonly currency: string;
  readonly text: string;
  readonly bankId: string;
  readonly importId: string;
  readonly matchId: string | null;
  readonly rule: Rule | null;
  readonly rawSha256: string;
}

interface FoundStatementLine {
  /** The line's key. */
  readonly id: string;
  readonly kind: LineKind;
  readonly providerLineId: string;
  readonly day: string;
  /** Unix milliseconds. */
  readonly at: string | null;
  readonly amountMinor: string;
  readonly reference: string | null;
  readonly endToEndId: string | null;
  readonly providerPaymentId: string | null;
  readonly installment: number | null;
  readonly settlementId: string | null;
  readonly text: string;
  readonly balanceMinor: string | null;
  readonly booksMatchId: string | null;
  readonly booksRule: Rule | null;
  readonly bankMatchId: string | null;
  readonly bankRule: Rule | null;
  readonly rawSha256: string;
}

interface FoundBookLine {
  /** The line's key. */
  readonly id: string;
  readonly ownId: string;
  readonly kind: LineKind;
  readonly day: string;
  readonly amountMinor: string;
  readonly paymentId: string | null;
  readonly reference: string | null;
  readonly endToEndId: string | null;
  readonly providerPaymentId: string | null;
  readonly installment: number | null;
  readonly matchId: string | null;
  readonly rule: Rule | null;
}

function keyOf(accountId: string, row: Pick<FoundStatementLine, "kind" | "providerLineId">): string {
  return theirKey({ accountId, kind: row.kind, id: row.providerLineId });
}

function toBankLine(bankAccountId: string, row: FoundBankLine): BankLine {
  const { id, day, currency, text, bankId, importId } = row;
  return create(BankLineSchema, {
    id,
    key: bankKey({ bankAccountId, id }),
    bankAccountId,
    day,
    amount: BigInt(row.amountMinor),
    currency,
    text,
    bankId,
    importId,
    matchId: row.matchId ?? undefined,
    rule: ruleOf(row.rule),
    rawSha256: row.rawSha256,
  });
}

function toStatementLine(accountId: string, row: FoundStatementLine): StatementLine {
  return create(StatementLineSchema, {
    key: row.id,
    accountId,
    kind: kinds.numbers[row.kind],
    providerLineId: row.providerLineId,
    day: row.day,
    at: stampOf(dateOf(row.at)),
    amount: BigInt(row.amountMinor),
    currency: "BRL",
    reference: row.reference ?? undefined,
    endToEndId: row.endToEndId ?? undefined,
    providerPaymentId: row.providerPaymentId ?? undefined,
    installment: row.installment ?? undefined,
    settlementId: row.settlementId ?? undefined,
    text: row.text,
    balance: row.balanceMinor === null ? undefined : BigInt(row.balanceMinor),
    booksMatchId: row.booksMatchId ?? undefined,
    booksRule: ruleOf(row.booksRule),
    bankMatchId: row.bankMatchId ?? undefined,
    bankRule: ruleOf(row.bankRule),
    rawSha256: row.rawSha256,
  });
}

function toBookLine(accountId: string, row: FoundBookLine): BookLine {
  return create(BookLineSchema, {
    key: row.id,
    accountId,
    kind: kinds.numbers[row.kind],
    day: row.day,
    amount: BigInt(row.amountMinor),
    currency: "BRL",
    paymentId: row.paymentId ?? undefined,
    reference: row.reference ?? undefined,
    endToEndId: row.endToEndId ?? undefined,
    providerPaymentId: row.providerPaymentId ?? undefined,
    installment: row.installment ?? undefined,
    matchId: row.matchId ?? undefined,
    rule: ruleOf(row.rule),
  });
}

function ruleOf(rule: Rule | null): MatchRule | undefined {
  return rule === null ? undefined : rules.numbers[rule];
}

import type { ServiceImpl } from "@connectrpc/connect";
import type {
  CreateBankAccountRequest,
  ReconciliationService,
} from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { dayAt } from "../../contract/day.ts";
import { isId, newId } from "../../contract/ids.ts";
import type { Environment } from "../platform/db/database.ts";
import type { Operation } from "../platform/rpc/call.ts";
import { invalidRequest, PaylinkError } from "../platform/rpc/errors.ts";
import { checkOwnText } from "../platform/rpc/metadata.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { insert, update, within } from "../platform/write/change.ts";
import { MappingProblem, readMapping, type Mapping } from "./bank-files/mapping.ts";
import type { ReconciliationDeps } from "./deps.ts";
import { BankAccount, type BankAccountRow } from "./entities.ts";
import { paths, toBankAccount } from "./mapping.ts";
import { makeReadingDue, PAST_DAYS, runDue } from "./run-state.ts";

const ACCOUNTS_MAX = 100;

type Rpcs = Pick<
  ServiceImpl<typeof ReconciliationService>,
  "createBankAccount" | "updateBankAccount" | "listBankAccounts"
>;
type Given = Pick<CreateBankAccountRequest, "name" | "mapping" | "providerAccountId" | "path">;

/** The RPCs of bank accounts. */
export function bankAccountRpcs(deps: ReconciliationDeps): Rpcs {
  const { operations, clock } = deps;

  /** Error: invalid_request on mapping, path or provider_account_id. */
  async function fieldsOf(given: Given, { tenantId, mode, environment }: Operation, own: string | null) {
    const { name, mapping, providerAccountId: accountId = null } = given;
    const path = accountId === null ? null : (paths.wordOf(given.path) ?? "transfer");
    if (accountId === null && given.path !== undefined) {
      throw invalidRequest("path", "path is that of a provider account: name it in provider_account_id.");
    }
    if (accountId !== null) {
      if (!(await deps.accountsOf(mode, tenantId)).includes(accountId)) {
        throw invalidRequest("provider_account_id", "There is no such provider account.");
      }
      const others = await environment.orm.em.fork().find(BankAccount, { tenantId, accountId });
      if (others.some(({ id }) => id !== own)) {
        const message = "Another bank account has this provider account's money.";
        throw invalidRequest("provider_account_id", message);
      }
    }
    const read = mapping === undefined ? null : mappingOf(mapping);
    return { name, mapping: read === null ? null : (JSON.parse(mapping ?? "") as unknown), accountId, path };
  }

  return {
    createBankAccount: operations.write({
      check: (request) => checkTexts(request),
      decide: async (request, operation) => {
        const { tenantId } = operation;
        const fields = await fieldsOf(request, operation, null);
        const id = newId("bac");
        const row: BankAccountRow = {
          tenantId,
          id,
          ...fields,
          changeCount: 0,
          createdAt: wholeSecond(clock),
        };
        return {
          response: { bankAccount: toBankAccount(row, null) },
          changes: [insert(BankAccount, row), requireFew(tenantId), ...dueChanges(deps, operation, row)],
          audit: { objectId: id },
        };
      },
    }),
    updateBankAccount: operations.write({
      check: (request) => checkTexts(request),
      decide: async (request, operation) => {
        const { tenantId, environment } = operation;
        const row = await requireBankAccount(environment, tenantId, request.id);
        const fields = await fieldsOf(request, operation, row.id);
        const { id, changeCount } = row;
        const changed = { ...row, ...fields };
        return {
          response: { bankAccount: toBankAccount(changed, await importedUntil(environment, tenantId, id)) },
          changes: [
            update(BankAccount, { tenantId, id, changeCount }, { ...fields, changeCount: changeCount + 1 }),
            ...dueChanges(deps, operation, changed),
          ],
          audit: { objectId: id },
        };
      },
    }),
    listBankAccounts: operations.run(async (_, { tenantId, environment }) => {
      const orderBy = { id: "asc" } as const;
      const rows = await environment.orm.em.fork().find(BankAccount, { tenantId }, { orderBy });
      const bankAccounts = await Promise.all(
        rows.map(async (row) => toBankAccount(row, await importedUntil(environment, tenantId, row.id))),
      );
      return { bankAccounts };
    }),
  };
}

/** Returns a bank account. Error: bank_account_not_found. */
export async function requireBankAccount(
  { orm }: Environment,
  tenantId: string,
  id: string,
): Promise<BankAccountRow> {
  const row = isId("bac", id) ? await orm.em.fork().findOne(BankAccount, { tenantId, id }) : null;
  if (!row) throw new PaylinkError("bank_account_not_found", "There is no such bank account.");
  return row;
}

function checkTexts({ name, mapping }: Pick<Given, "name" | "mapping">): void {
  checkOwnText("name", name);
  checkOwnText("mapping", mapping);
}

/** Reads a mapping that is JSON. Error: invalid_request on mapping. */
export function mappingOf(text: string): Mapping {
  try {
    return readMapping(JSON.parse(text));
  } catch (error) {
    if (error instanceof MappingProblem) throw invalidRequest("mapping", `mapping: ${error.message}.`);
    if (error instanceof SyntaxError) throw invalidRequest("mapping", "mapping is not JSON.");
    throw error;
  }
}

async function importedUntil({ pool }: Environment, tenantId: string, id: string): Promise<string | null> {
  const { rows } = await pool.query<{ day: string | null }>({
    name: "last day of a bank account",
    text: `SELECT max(day)::text AS day FROM bank_line WHERE tenant_id = $1 AND bank_account_id = $2`,
    values: [tenantId, id],
  });
  return rows[0]?.day ?? null;
}

function dueChanges(
  { clock }: ReconciliationDeps,
  { tenantId }: Operation,
  { accountId }: Pick<BankAccountRow, "accountId">,
) {
  if (accountId === null || accountId === undefined) return [];
  const first = dayAt(clock.nowMs()).subtract({ days: PAST_DAYS }).toString();
  return [
    within(async (client) => await makeReadingDue(client, clock, tenantId, accountId)),
    runDue(clock, tenantId, first),
  ];
}

/** Undoes a new bank account above the bound. Error: quota_exceeded. */
function requireFew(tenantId: string) {
  return within(async (client) => {
    const { rows } = await client.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM bank_account WHERE tenant_id = $1",
      [tenantId],
    );
    if ((rows[0]?.count ?? 0) <= ACCOUNTS_MAX) return;
    throw new PaylinkError("quota_exceeded", `A tenant has at most ${ACCOUNTS_MAX} bank accounts.`);
  });
}

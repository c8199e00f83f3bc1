import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createClient } from "@connectrpc/connect";
import { dayAt, startOfDay } from "../../../contract/day.ts";
import { HEADERS } from "../../../contract/headers.ts";
import { IdentityService, Mode } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { Role, UsersService } from "../../../gen/paylink/identity/v1/users_pb.ts";
import { PricingService } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { ReconciliationService } from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { readConfig } from "../../../src/platform/config/config.ts";
import { SANDBOX_ACCOUNT } from "../../../src/reconciliation/deps.ts";
import { contractedFee } from "../../../src/reconciliation/matching/fees.ts";
import type { ContractedFee } from "../../../src/reconciliation/matching/lines.ts";
import { PAST_DAYS } from "../../../src/reconciliation/run-state.ts";
import { PRESETS } from "../../serve/starter-rules.ts";
import { csvOf, MAPPING, ofxOf } from "./bank-files.ts";
import { bankLines, SHARED_DAY, type BankFileLine } from "./bank-lines.ts";
import { openDemoCore, type DemoCore } from "./demo-core.ts";
import { choose, makeProviderFaults, type Fault } from "./faults.ts";
import { planSales } from "./plan.ts";
import { DemoProvider, type Movement } from "./provider.ts";
import { Sales, type Made } from "./sales.ts";

/** A month to close, and where its parts are. */
export interface DemoMonth {
  readonly tenantId: string;
  readonly month: string;
  readonly paymentCount: number;
  /** The bank's files and the mapping of the CSV. */
  readonly folder: string;
  readonly files: readonly string[];
  /** The address of the console at which an owner of the tenant signs up. */
  readonly consoleUrl: string;
  readonly faults: readonly Fault[];
}

interface Options {
  /** The one before this month if it is absent. */
  readonly month: Temporal.PlainYearMonth | undefined;
  readonly count: number;
  readonly folder: string | undefined;
}

/** What the sandbox takes, as it is agreed. */
const FEES: readonly ContractedFee[] = [
  { kind: "pix", installmentsFrom: 1, installmentsTo: 1, percentPpm: 9900n, fixedMinor: 0n, brand: null },
  { kind: "card", installmentsFrom: 1, installmentsTo: 1, percentPpm: 29_900n, fixedMinor: 39n, brand: null },
  { kind: "card", installmentsFrom: 2, installmentsTo: 6, percentPpm: 34_900n, fixedMinor: 39n, brand: null },
  {
    kind: "card",
    installmentsFrom: 7,
    installmentsTo: 12,
    percentPpm: 39_900n,
    fixedMinor: 39n,
    brand: null,
  },
];
const HALF_DAY_MS = 43_200_000;

/**
 * Makes a month of payments at the sandbox, on a tenant of their own, with the bank's files of the month. Throws Error if
 * the month is not over, too long ago, or there already.
 */
export async function makeDemoMonth({ month: wanted, count, folder: given }: Options): Promise<DemoMonth> {
  const month = wanted ?? dayAt(Date.now()).toPlainYearMonth().subtract({ months: 1 });
  requirePast(month);
  const config = readConfig(process.env);
  const demo = await openDemoCore(config, { [HEADERS.actor]: "command_line" });
  try {
    const tenantId = await makeTenant(demo, month);
    const provider = new DemoProvider(demo.databaseUrl, tenantId);
    try {
      const made = await sell(demo, provider, tenantId, planSales(month, count));
      await provider.takeFees(feesOf(made, await provider.statement()));
      const chosen = choose(made, month);
      const provided = await makeProviderFaults(provider, chosen, await provider.statement(), month);
      const cards = made.filter(({ sale }) => sale.method === "card").map(({ reference }) => reference);
      const banked = bankLines(await provider.statement(), new Set(cards), chosen.bank, month);

      demo.clock.set(Date.now());
      await agreeFees(demo, tenantId);
      const token = await inviteOwner(demo, tenantId, month);
      const folder = resolve(given ?? `demo-month-${month.toString()}`);
      return {
        tenantId,
        month: month.toString(),
        paymentCount: made.length,
        folder,
        files: await writeFiles(folder, banked.lines, month),
        consoleUrl: `${config.publicUrl}/console/invitations/${token}`,
        faults: [...provided, ...banked.faults].toSorted((a, b) =>
          a.day < b.day ? -1 : Number(a.day > b.day),
        ),
      };
    } finally {
      await provider.close();
    }
  } finally {
    await demo.close();
  }
}

function requirePast(month: Temporal.PlainYearMonth): void {
  const today = dayAt(Date.now());
  if (Temporal.PlainYearMonth.compare(month, today.toPlainYearMonth()) >= 0) {
    throw new Error(`${month.toString()} is not over: name a past month.`);
  }
  const first = today.subtract({ days: PAST_DAYS });
  if (Temporal.PlainDate.compare(month.toPlainDate({ day: 1 }), first) < 0) {
    throw new Error(`${month.toString()} is too long ago: statements are read from ${first.toString()} on.`);
  }
}

/** Makes the month's tenant before its first day, with its prices. Throws Error if it is there. */
async function makeTenant(
  { core, clock, headers }: DemoCore,
  month: Temporal.PlainYearMonth,
): Promise<string> {
  const identity = createClient(IdentityService, core.transport);
  const pricing = createClient(PricingService, core.transport);
  const name = `Demo month ${month.toString()}`;
  const { tenants } = await identity.listTenants({}, { headers });
  const earlier = tenants.find((tenant) => tenant.name === name);
  if (earlier) throw new Error(`${month.toString()} is there already, as ${earlier.id}: name another month.`);
  clock.set(startOfDay(month.toPlainDate({ day: 1 })) - HALF_DAY_MS);
  const paymentMethods = ["pix", "card"];
  const { id } = await identity.createTenant({ name, payoutCurrency: "BRL", paymentMethods }, { headers });
  for (const rule of PRESETS.brl) {
    await pricing.putPricingRule({ tenantId: id, mode: Mode.TEST, ...rule }, { headers });
  }
  return id;
}

async function sell(
  { core, clock, headers }: DemoCore,
  provider: DemoProvider,
  tenantId: string,
  sales: ReturnType<typeof planSales>,
): Promise<Made[]> {
  return await new Sales(core.transport, ofTenant(headers, tenantId), clock, provider).make(sales);
}

/** Returns the fee of each charge as it is agreed, by reference in centavos. */
function feesOf(made: readonly Made[], movements: readonly Movement[]): Map<string, bigint> {
  const sales = new Map(made.map(({ reference, sale }) => [reference, sale]));
  const charged = movements.flatMap(({ kind, reference, amountMinor }) => {
    const sale = sales.get(reference);
    if (kind !== "received" || !sale) return [];
    const terms = { kind: sale.method, brand: null, installments: sale.installments };
    const fee = contractedFee(FEES, { amountMinor, installment: null, terms });
    return fee === undefined ? [] : [[reference, fee] as const];
  });
  return new Map(charged);
}

async function agreeFees({ core, headers }: DemoCore, tenantId: string): Promise<void> {
  const fees = FEES.map(({ brand: _brand, fixedMinor: fixed, ...fee }) => ({ ...fee, fixed }));
  const reconciliation = createClient(ReconciliationService, core.transport);
  const options = { headers: ofTenant(headers, tenantId) };
  await reconciliation.putContractedFees({ accountId: SANDBOX_ACCOUNT, fees }, options);
}

async function inviteOwner(
  { core, headers }: DemoCore,
  tenantId: string,
  month: Temporal.PlainYearMonth,
): Promise<string> {
  const users = createClient(UsersService, core.transport);
  const email = `finance-${month.toString()}@example.com`;
  return (await users.inviteUser({ tenantId, email, role: Role.OWNER }, { headers })).token;
}

async function writeFiles(
  folder: string,
  lines: readonly BankFileLine[],
  month: Temporal.PlainYearMonth,
): Promise<string[]> {
  const shared = month.toPlainDate({ day: SHARED_DAY }).toString();
  const files = [
    ["bank-first-half.ofx", ofxOf(lines.filter(({ day }) => day <= shared))],
    ["bank-second-half.csv", csvOf(lines.filter(({ day }) => day >= shared))],
    ["mapping.json", `${JSON.stringify(MAPPING, null, 2)}\n`],
  ] as const;
  await mkdir(folder, { recursive: true });
  for (const [name, text] of files) await writeFile(join(folder, name), text);
  return files.map(([name]) => name);
}

function ofTenant(headers: Readonly<Record<string, string>>, tenantId: string): Record<string, string> {
  return { ...headers, [HEADERS.tenant]: tenantId, [HEADERS.mode]: "test" };
}

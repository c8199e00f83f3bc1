import { Option, type Command } from "commander";
import { join } from "node:path";
import { readConfig } from "../../src/platform/config/config.ts";
import { readIfPresent } from "../../src/platform/config/private-file.ts";
import { examples } from "../output/help.ts";
import { count, modeOption, month } from "../output/options.ts";
import { print } from "../output/output.ts";
import type { DemoTenant } from "../serve/seed.ts";

const PAGE_PORT = 8090;

const PAYMENTS = 2000;
const PAYMENTS_MIN = 50;

interface MonthOptions {
  readonly month?: Temporal.PlainYearMonth;
  readonly payments: number;
  readonly folder?: string;
}

interface Choice {
  readonly currency: string;
}

export function addDemo(program: Command): void {
  const demo = program
    .command("demo")
    .addHelpText("after", examples("demo key", "demo tenant --currency USD", "demo bank", "demo month"));
  demo
    .command("key")
    .description("print the API key of a demo tenant, and nothing else")
    .addOption(modeOption().makeOptionMandatory(false).default("test"))
    .addOption(currencyOption())
    .action(async ({ mode, currency }: Choice & { mode: string }) => {
      const tenant = await demoTenant(currency);
      process.stdout.write(`${mode === "live" ? tenant.live_key : tenant.test_key}\n`);
    });
  demo
    .command("tenant")
    .description("print the id of a demo tenant, and nothing else")
    .addOption(currencyOption())
    .action(async ({ currency }: Choice) => {
      process.stdout.write(`${(await demoTenant(currency)).id}\n`);
    });
  demo
    .command("bank")
    .description(
      "run a bank on this machine for a demo tenant's live mode, until Ctrl-C; no real money moves",
    )
    .addOption(currencyOption())
    .option("--port <port>", "of the page where codes are paid; 0: any", count, PAGE_PORT)
    .action(async ({ currency, port }: Choice & { port: number }, command: Command) => {
      const tenant = await demoTenant(currency);
      const { startDemoBank } = await import("./demo-bank.ts");
      const { accountId, payUrl } = await startDemoBank(tenant.id, port);
      print(command, { tenant: tenant.id, account: accountId, mode: "live", pay: payUrl });
    });
  demo
    .command("month")
    .description(
      "make a past month of payments in test mode, with the bank's files and known faults, to close it",
    )
    .option("--month <month>", "YYYY-MM (default: the last one)", month)
    .option("--payments <n>", "how many payments, at least 50", count, PAYMENTS)
    .option("--folder <path>", "where the bank's files are written (default: demo-month-YYYY-MM)")
    .action(async ({ month: wanted, payments, folder }: MonthOptions, command: Command) => {
      if (payments < PAYMENTS_MIN) throw new Error(`--payments must be at least ${PAYMENTS_MIN}.`);
      const { makeDemoMonth } = await import("./demo-month/demo-month.ts");
      const made = await makeDemoMonth({ month: wanted, count: payments, folder });
      print(command, {
        tenant: made.tenantId,
        mode: "test",
        month: made.month,
        payments: made.paymentCount,
        folder: made.folder,
        files: made.files,
        console: made.consoleUrl,
        faults: made.faults.map(({ amountMinor, ...fault }) => ({ ...fault, amount: Number(amountMinor) })),
      });
    });
}

function currencyOption(): Option {
  return new Option("--currency <currency>", "the tenant paid out in it")
    .choices(["BRL", "USD"])
    .default("BRL");
}

/** Throws Error when this data folder has no demo. */
async function demoTenant(currency: string): Promise<DemoTenant> {
  const file = join(readConfig(process.env).dataDir, "demo-keys.json");
  const kept = await readIfPresent(file);
  if (kept === undefined) {
    throw new Error(
      `No demo tenants (there is no ${file}): run \`npm start\` first and wait until it is ready.`,
    );
  }
  const found = (JSON.parse(kept) as DemoTenant[]).find((tenant) => tenant.payout_currency === currency);
  if (!found) throw new Error(`${file} has no tenant paid out in ${currency}.`);
  return found;
}

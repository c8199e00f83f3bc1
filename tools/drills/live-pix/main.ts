/** Has payments made at a bank that often fails, and compares bank, books and merchant: see README.md. */
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { withDatabases } from "../fuzz/target.ts";
import { failuresOf, PAYMENTS_OF_EACH, report } from "./report.ts";
import { run, type Plan } from "./run.ts";

const HELP = `Usage: npm run live-pix -- [options]

Has PIX payments made, refunded and returned at a bank of which every tenth answer is wrong and half of the callbacks
are lost, and compares to the centavo what the bank, the books and the merchant have in the end.
From ${PAYMENTS_OF_EACH} payments on, each kind of fault, of payer and of money that goes back must come.

  --payments N   how many payments (1000)
  --seed N       repeats a run (drawn)
  --help

Exit code 0: they agree. 1: they do not, or a kind did not come. 2: it cannot run.`;
const SEEDS = 2 ** 31;

function planOf(args: readonly string[]): Plan | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      payments: { type: "string", default: "1000" },
      seed: { type: "string", default: String(randomInt(SEEDS)) },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  const [payments, seed] = [values.payments, values.seed].map(Number);
  if (!Number.isSafeInteger(payments) || !payments || payments < 1)
    throw usage("--payments takes a whole number from 1 on.");
  if (!Number.isSafeInteger(seed) || seed === undefined || seed < 0)
    throw usage("--seed takes a whole number.");
  return { payments, seed, faultRate: 0.1, atOnce: 50 };
}

function usage(message: string): TypeError {
  return Object.assign(new TypeError(message), { code: "ERR_USAGE" });
}

try {
  const plan = planOf(process.argv.slice(2));
  if (plan === "help") console.log(HELP);
  else {
    console.log(`--seed ${plan.seed}`);
    // PostgreSQL ends with this process, also when it is killed.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.once(signal, () => process.exit(130));
    const result = await withDatabases(async (newDatabase) => await run(await newDatabase(), plan));
    const failures = failuresOf(result, plan);
    for (const failure of failures) console.error(failure);
    console.log(report(result));
    process.exitCode = failures.length > 0 ? 1 : 0;
  }
} catch (error) {
  const isUsage = error instanceof TypeError && "code" in error;
  console.error(isUsage ? error.message : error);
  process.exitCode = isUsage ? 2 : 1;
}

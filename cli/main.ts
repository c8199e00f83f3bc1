import { Command, Option } from "commander";
import { ConfigError, readConfig } from "../src/platform/config.ts";
import { addClose } from "./commands/close.ts";
import { addCompletion } from "./commands/completion.ts";
import { addDeliveries } from "./commands/deliveries.ts";
import { addDemo } from "./commands/demo.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addEvents } from "./commands/events.ts";
import { addFx } from "./commands/fx.ts";
import { addKeys } from "./commands/keys.ts";
import { addLedger } from "./commands/ledger.ts";
import { addListen } from "./commands/listen.ts";
import { addPayments } from "./commands/payments.ts";
import { addProviders } from "./commands/providers.ts";
import { addRules } from "./commands/rules.ts";
import { addTenants } from "./commands/tenants.ts";
import { addTokens } from "./commands/tokens.ts";
import { addUsers } from "./commands/users.ts";
import { addWebhooks } from "./commands/webhooks.ts";
import { addHelp, examples } from "./help.ts";
import { failureText } from "./output.ts";
import { ROLES, type Role } from "./role.ts";
import { reportingStart } from "./start-report.ts";
import manifest from "../package.json" with { type: "json" };

/** The tree of commands. */
export const program = new Command("paylink")
  .description("Payment links, quotes and reconciliation, self-hosted.")
  .option("--json", "print one JSON document on stdout");

program
  .command("serve")
  .description("run the service, or one part of it, until a signal ends it")
  .addOption(new Option("--role <role>", "which part").choices(ROLES).default("all"))
  .action(async ({ role }: { role: Role }) => {
    const config = readConfig(process.env);
    // Loaded here, so that the other commands need not load the whole service.
    const { serve } = await import("./serve.ts");
    await reportingStart(config, role, () => serve(config, role));
  })
  .addHelpText("after", examples("serve", "serve --role core", "serve --role gateway"));
const additions = [
  addTenants,
  addKeys,
  addUsers,
  addTokens,
  addFx,
  addRules,
  addProviders,
  addWebhooks,
  addEvents,
  addDeliveries,
  addListen,
  addPayments,
  addLedger,
  addClose,
  addDemo,
  addDoctor,
];
for (const add of additions) add(program);
for (const group of program.commands) {
  for (const command of group.commands) command.option("--json", "print one JSON document on stdout");
}
addCompletion(program);
addHelp(program, manifest.version);

/** Runs the given command. A failure prints one line on stderr and sets exit code 1. */
export async function run(): Promise<void> {
  let given: Command | undefined;
  program.hook("preAction", (_program, command) => void (given = command));
  try {
    await program.parseAsync();
  } catch (error) {
    process.stderr.write(`paylink: ${failureText(error, given)}\n`);
    if (process.env["LOG_LEVEL"] === "debug" && !(error instanceof ConfigError)) console.error(error);
    process.exit(1);
  }
}

if (import.meta.main) await run();

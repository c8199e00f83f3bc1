import { Command } from "commander";
import { addHelp } from "./help.ts";
import manifest from "../package.json" with { type: "json" };

type Add = (program: Command) => void;

/** The groups of commands, in the order in which help lists them. */
const GROUPS: ReadonlyMap<string, () => Promise<Add>> = new Map([
  ["serve", async () => (await import("./commands/serve.ts")).addServe],
  ["tenants", async () => (await import("./commands/tenants.ts")).addTenants],
  ["keys", async () => (await import("./commands/keys.ts")).addKeys],
  ["users", async () => (await import("./commands/users.ts")).addUsers],
  ["tokens", async () => (await import("./commands/tokens.ts")).addTokens],
  ["fx", async () => (await import("./commands/fx.ts")).addFx],
  ["rules", async () => (await import("./commands/rules.ts")).addRules],
  ["providers", async () => (await import("./commands/providers.ts")).addProviders],
  ["webhooks", async () => (await import("./commands/webhooks.ts")).addWebhooks],
  ["events", async () => (await import("./commands/events.ts")).addEvents],
  ["deliveries", async () => (await import("./commands/deliveries.ts")).addDeliveries],
  ["listen", async () => (await import("./commands/listen.ts")).addListen],
  ["payments", async () => (await import("./commands/payments.ts")).addPayments],
  ["ledger", async () => (await import("./commands/ledger.ts")).addLedger],
  ["close", async () => (await import("./commands/close.ts")).addClose],
  ["demo", async () => (await import("./commands/demo.ts")).addDemo],
  ["backup", async () => (await import("./commands/backup.ts")).addBackup],
  ["restore", async () => (await import("./commands/backup.ts")).addRestore],
  ["data-key", async () => (await import("./commands/data-key.ts")).addDataKey],
  ["doctor", async () => (await import("./commands/doctor.ts")).addDoctor],
]);

/**
 * Returns the tree of commands. Loads only the group that the words name, so that a command starts fast; words without
 * a group (help, completion, a misspelt name) get all groups.
 */
export async function programOf(words: readonly string[]): Promise<Command> {
  const program = new Command("paylink")
    .description("Payment links, quotes and reconciliation, self-hosted.")
    .option("--json", "print one JSON document on stdout");
  const named = GROUPS.get(words.find((word) => !word.startsWith("-")) ?? "");
  if (named) (await named())(program);
  else for (const load of GROUPS.values()) (await load())(program);
  for (const group of program.commands) {
    for (const command of group.commands) command.option("--json", "print one JSON document on stdout");
  }
  if (!named) (await import("./commands/completion.ts")).addCompletion(program);
  addHelp(program, manifest.version);
  return program;
}

/** Runs the given command. A failure prints one line on stderr and sets exit code 1. */
export async function run(): Promise<void> {
  let given: Command | undefined;
  try {
    const program = await programOf(process.argv.slice(2));
    program.hook("preAction", (_program, command) => void (given = command));
    await program.parseAsync();
  } catch (error) {
    const { failureText } = await import("./failure-text.ts");
    const { ConfigError } = await import("../src/platform/config.ts");
    process.stderr.write(`paylink: ${failureText(error, given)}\n`);
    if (process.env["LOG_LEVEL"] === "debug" && !(error instanceof ConfigError)) console.error(error);
    process.exit(1);
  }
}

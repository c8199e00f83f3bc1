import { Command } from "commander";
import { addHelp } from "./output/help.ts";
import manifest from "../package.json" with { type: "json" };

const COMPLETION = "completion";
const COMPLETION_TEXT = "print a script that lets a shell complete `paylink`";

/** A group of commands, or one command. */
interface Group {
  readonly text: string;
  readonly load: () => Promise<(program: Command) => void>;
}

/** The groups of commands, in the order in which help lists them. */
const GROUPS: ReadonlyMap<string, Group> = new Map([
  [
    "serve",
    {
      text: "run the service, or one part of it, until a signal ends it",
      load: async () => (await import("./commands/serve.ts")).addServe,
    },
  ],
  ["tenants", { text: "merchants", load: async () => (await import("./commands/tenants.ts")).addTenants }],
  ["keys", { text: "API keys", load: async () => (await import("./commands/keys.ts")).addKeys }],
  [
    "users",
    { text: "users of a tenant's console", load: async () => (await import("./commands/users.ts")).addUsers },
  ],
  [
    "tokens",
    {
      text: "core tokens, which internal teams present over gRPC",
      load: async () => (await import("./commands/tokens.ts")).addTokens,
    },
  ],
  [
    "fx",
    {
      text: "exchange rates and the policy around them",
      load: async () => (await import("./commands/fx.ts")).addFx,
    },
  ],
  ["rules", { text: "pricing rules", load: async () => (await import("./commands/rules.ts")).addRules }],
  [
    "providers",
    {
      text: "accounts at payment providers, for live mode",
      load: async () => (await import("./commands/providers.ts")).addProviders,
    },
  ],
  [
    "webhooks",
    {
      text: "endpoints that receive a merchant's events",
      load: async () => (await import("./commands/webhooks.ts")).addWebhooks,
    },
  ],
  [
    "events",
    {
      text: "events of payments and links",
      load: async () => (await import("./commands/events.ts")).addEvents,
    },
  ],
  [
    "deliveries",
    {
      text: "deliveries of events to endpoints",
      load: async () => (await import("./commands/deliveries.ts")).addDeliveries,
    },
  ],
  [
    "listen",
    {
      text: "print events as they happen, and forward them signed to your receiver",
      load: async () => (await import("./commands/listen.ts")).addListen,
    },
  ],
  [
    "trigger",
    {
      text: "make a real event happen in test mode, by a test link that is paid, fails or expires",
      load: async () => (await import("./commands/trigger.ts")).addTrigger,
    },
  ],
  ["links", { text: "payment links", load: async () => (await import("./commands/links.ts")).addLinks }],
  [
    "quotes",
    {
      text: "prices that hold for half an hour, and links at them",
      load: async () => (await import("./commands/quotes.ts")).addQuotes,
    },
  ],
  [
    "payments",
    {
      text: "payments of a tenant, and refunds",
      load: async () => (await import("./commands/payments.ts")).addPayments,
    },
  ],
  ["ledger", { text: "the books", load: async () => (await import("./commands/ledger.ts")).addLedger }],
  [
    "close",
    {
      text: "the day's close: sealed days and what changed since",
      load: async () => (await import("./commands/close.ts")).addClose,
    },
  ],
  [
    "bank",
    {
      text: "accounts at banks: their files, lines and the fees of providers",
      load: async () => (await import("./commands/bank.ts")).addBank,
    },
  ],
  [
    "reconcile",
    {
      text: "our books, the provider's statement and the bank, compared day by day",
      load: async () => (await import("./commands/reconcile.ts")).addReconcile,
    },
  ],
  [
    "demo",
    {
      text: "the demo tenants that the first start made",
      load: async () => (await import("./commands/demo.ts")).addDemo,
    },
  ],
  [
    "backup",
    {
      text: "back up the embedded database and the pictures, while the service runs or not",
      load: async () => (await import("./commands/backup.ts")).addBackup,
    },
  ],
  [
    "restore",
    {
      text: "restore a backup into a DATA_DIR without a database, and check books and seals first",
      load: async () => (await import("./commands/backup.ts")).addRestore,
    },
  ],
  [
    "data-key",
    {
      text: "the key that secrets in the database are encrypted with",
      load: async () => (await import("./commands/data-key.ts")).addDataKey,
    },
  ],
  [
    "doctor",
    {
      text: "check everything that a start needs, and print what to do; changes nothing",
      load: async () => (await import("./commands/doctor.ts")).addDoctor,
    },
  ],
]);

/**
 * Returns the tree of commands. Loads only the group that the words name, so that a command starts fast. Options alone,
 * as in `--help`, load none: names and sentences are enough. Words without a group (help, completion, a misspelt name) get all groups.
 */
export async function programOf(words: readonly string[]): Promise<Command> {
  const program = new Command("paylink")
    .description("Payment links, quotes and reconciliation, self-hosted.")
    .option("--json", "print one JSON document on stdout");
  const name = words.find((word) => !word.startsWith("-"));
  if (name === undefined && words.length > 0) outline(program);
  else if (name !== undefined && GROUPS.has(name)) await load(program, name);
  else {
    for (const each of GROUPS.keys()) await load(program, each);
    (await import("./commands/completion.ts")).addCompletion(program);
    program.commands.find((command) => command.name() === COMPLETION)?.description(COMPLETION_TEXT);
  }
  addHelp(program, manifest.version);
  return program;
}

/** Adds names and sentences, which is what the program's own help shows. */
function outline(program: Command): void {
  for (const [name, { text }] of GROUPS) program.command(name).description(text);
  program.command(COMPLETION).description(COMPLETION_TEXT);
}

async function load(program: Command, name: string): Promise<void> {
  const group = GROUPS.get(name);
  (await group?.load())?.(program);
  const added = program.commands.find((command) => command.name() === name);
  added?.description(group?.text ?? "");
  for (const command of added?.commands ?? []) command.option("--json", "print one JSON document on stdout");
}

/** Runs the given command. A failure prints one line on stderr and sets exit code 1. */
export async function run(): Promise<void> {
  const words = process.argv.slice(2);
  hideLibpqVariables();
  // A reader may end first, as head does: the command goes on to its own exit code.
  for (const output of [process.stdout, process.stderr]) output.on("error", ignoreClosedPipe);
  let given: Command | undefined;
  try {
    const program = await programOf(words.length === 0 ? ["--help"] : words);
    program.hook("preAction", (_program, command) => void (given = command));
    await program.parseAsync();
  } catch (error) {
    const { failureText } = await import("./output/failure-text.ts");
    const { ConfigError } = await import("../src/platform/config/config.ts");
    process.stderr.write(`paylink: ${failureText(error, given)}\n`);
    if (process.env["LOG_LEVEL"] === "debug" && !(error instanceof ConfigError)) console.error(error);
    process.exit(1);
  }
}

/** Removes libpq's variables, which the driver reads too, where the database is the embedded one: they are about another. */
function hideLibpqVariables(): void {
  if (process.env["DATABASE_URL"]) return;
  for (const name of Object.keys(process.env)) if (name.startsWith("PG")) delete process.env[name];
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

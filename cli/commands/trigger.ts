import { Argument, Option, type Command } from "commander";
import { DELIVERED_TYPES } from "../../contract/event-types.ts";
import { examples } from "../output/help.ts";
import { bigCount } from "../output/options.ts";
import { print } from "../output/output.ts";
import type { Triggered } from "./trigger/types.ts";

const METHODS: readonly Triggered["method"][] = ["pix", "card"];
const AMOUNT = 15_990n;

type TriggerOptions = Omit<Triggered, "type"> & { readonly tenant: string; readonly mode: string };

export function addTrigger(program: Command): void {
  program
    .command("trigger")
    .addArgument(new Argument("<type>", "the event's type").choices(DELIVERED_TYPES))
    .requiredOption("--tenant <id>", "the tenant that it is about, ten_…")
    .addOption(new Option("--mode <mode>", "environment: the sandbox").choices(["test"]).default("test"))
    .addOption(
      new Option("--amount <centavos>", "amount of the link, in centavos of BRL")
        .argParser(bigCount)
        .default(AMOUNT, String(AMOUNT)),
    )
    .addOption(
      new Option("--method <method>", "how it is paid; disputes and reversals are of cards")
        .choices(METHODS)
        .default("pix"),
    )
    .option("--json", "print one JSON document on stdout")
    .addHelpText(
      "after",
      examples(
        "trigger payment.succeeded --tenant ten_…",
        "trigger payment.failed --tenant ten_… --method card --amount 25000",
        "trigger payment.dispute_closed --tenant ten_…",
      ),
    )
    .action(async (type: Triggered["type"], given: TriggerOptions, command: Command) => {
      const { amount, method, ...choice } = given;
      const { trigger } = await import("./trigger/triggering.ts");
      print(command, await trigger(choice, { type, amount, method }));
    });
}

import type { Command } from "commander";
import { toned } from "../output/colours.ts";
import type { Finding } from "../operate/doctor/finding.ts";
import { examples } from "../output/help.ts";
import { plain, print } from "../output/output.ts";

const WIDTH = 13;

export function addDoctor(program: Command): void {
  program
    .command("doctor")
    .option("--json", "print one JSON document on stdout")
    .addHelpText("after", examples("doctor", "doctor --json"))
    .action(async (_options: object, command: Command) => {
      // Loaded here, so that the other commands start fast.
      const { examine } = await import("../operate/doctor/examine.ts");
      const isJson = command.optsWithGlobals<{ json?: boolean }>().json === true;
      const findings: Finding[] = [];
      for await (const finding of examine(process.env)) {
        findings.push(finding);
        if (!isJson) process.stdout.write(textOf(finding));
      }
      const count = (status: string): number => findings.filter((one) => one.status === status).length;
      if (isJson)
        print(
          command,
          findings.map((finding) => ({ ...finding, advice: finding.advice ?? null })),
        );
      else
        process.stdout.write(
          `\n${counted(count("problem"), "problem")}, ${counted(count("warning"), "warning")}\n`,
        );
      if (count("problem") > 0) process.exitCode = 1;
    });
}

function textOf({ status, check, found, advice }: Finding): string {
  const lines = [`${toned(status.padEnd(9), status)}${check.padEnd(WIDTH)}  ${plain(found)}`];
  if (advice !== undefined) lines.push(`${" ".repeat(9 + WIDTH)}  -> ${plain(advice)}`);
  return `${lines.join("\n")}\n`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

import { InvalidArgumentError, Option, type Command } from "commander";
import { ConfigError, readConfig } from "../../src/platform/config/config.ts";
import { examples } from "../output/help.ts";
import { ROLES, type Role } from "../serve/role.ts";
import { reportingStart } from "../serve/start-report.ts";

const PROCESSES_MAX = 64;

export function addServe(program: Command): void {
  program
    .command("serve")
    .addOption(new Option("--role <role>", "which part").choices(ROLES).default("all"))
    .addOption(
      new Option("--workers <number>", "how many processes serve behind the port")
        .argParser(processes)
        .default(1),
    )
    .action(async ({ role, workers }: { role: Role; workers: number }) => {
      const config = readConfig(process.env);
      if (role === "worker" && workers > 1) {
        throw new ConfigError(
          "--workers is for roles that listen: run `serve --role worker` as often as you like.",
        );
      }
      // Loaded here, so that help and completion need not load the whole service.
      const { serve } = await import("../serve/serve.ts");
      await reportingStart(config, role, () => serve(config, role, workers));
    })
    .addHelpText(
      "after",
      examples("serve", "serve --workers 4", "serve --role core", "serve --role gateway"),
    );
}

function processes(text: string): number {
  const number = Number(text);
  if (!/^\d{1,2}$/.test(text) || number < 1 || number > PROCESSES_MAX) {
    throw new InvalidArgumentError(`It must be a whole number, 1 to ${PROCESSES_MAX}.`);
  }
  return number;
}

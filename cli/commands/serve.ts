import { Option, type Command } from "commander";
import { readConfig } from "../../src/platform/config.ts";
import { examples } from "../help.ts";
import { ROLES, type Role } from "../role.ts";
import { reportingStart } from "../start-report.ts";

export function addServe(program: Command): void {
  program
    .command("serve")
    .description("run the service, or one part of it, until a signal ends it")
    .addOption(new Option("--role <role>", "which part").choices(ROLES).default("all"))
    .action(async ({ role }: { role: Role }) => {
      const config = readConfig(process.env);
      // Loaded here, so that help and completion need not load the whole service.
      const { serve } = await import("../serve.ts");
      await reportingStart(config, role, () => serve(config, role));
    })
    .addHelpText("after", examples("serve", "serve --role core", "serve --role gateway"));
}

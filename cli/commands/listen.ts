import type { Command } from "commander";
import { WebhooksService } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { tenantClient } from "../client.ts";
import { examples } from "../help.ts";
import { forTenant, type TenantChoice } from "../options.ts";

type ListenOptions = TenantChoice & {
  readonly forwardTo?: string;
  readonly type?: string;
  readonly json?: boolean;
};

export function addListen(program: Command): void {
  forTenant(program.command("listen"))
    .option("--forward-to <url>", "where each event is posted to, for example http://localhost:3000/hook")
    .option("--type <type>", "only this type, for example payment.succeeded")
    .option("--json", "print one JSON document a line")
    .addHelpText(
      "after",
      examples("listen --tenant ten_… --mode test --forward-to http://localhost:3000/hook"),
    )
    .action(async ({ forwardTo, type, json = false, ...choice }: ListenOptions, command: Command) => {
      const isJson = json || command.optsWithGlobals<{ json?: boolean }>().json === true;
      const webhooks = await tenantClient(WebhooksService, choice);
      const { listen } = await import("../listening.ts");
      await listen(webhooks, { forwardTo, type, isJson });
    });
}

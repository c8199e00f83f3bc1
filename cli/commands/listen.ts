import type { Command } from "commander";
import { WebhooksService } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { tenantClient } from "../core/client.ts";
import { examples } from "../output/help.ts";
import { forTenant, type TenantChoice } from "../output/options.ts";
import { receiverAddress } from "./listen/receiver-address.ts";

type ListenOptions = TenantChoice & {
  readonly forwardTo?: string;
  readonly type?: string;
  readonly printSecret?: boolean;
  readonly newSecret?: boolean;
  readonly json?: boolean;
};

export function addListen(program: Command): void {
  forTenant(program.command("listen"))
    .option(
      "--forward-to <url>",
      "where each event is posted to, for example localhost:3000/hook",
      receiverAddress,
    )
    .option("--type <type>", "only this type, for example payment.succeeded")
    .option("--print-secret", "print the secret that signs what is forwarded, and nothing else, and end")
    .option("--new-secret", "replace that secret first; else it stays the same on this machine")
    .option("--json", "print one JSON document a line")
    .addHelpText(
      "after",
      examples(
        "listen --tenant ten_… --mode test --forward-to localhost:3000/hook",
        "listen --tenant ten_… --mode test --print-secret",
      ),
    )
    .action(async (given: ListenOptions, command: Command) => {
      const { forwardTo, type, printSecret = false, newSecret = false, json = false, ...choice } = given;
      const isJson = json || command.optsWithGlobals<{ json?: boolean }>().json === true;
      const secret = async () =>
        await (await import("./listen/listen-secret.ts")).listenSecret(choice.tenant, newSecret);
      if (printSecret) {
        process.stdout.write(
          isJson ? `${JSON.stringify({ secret: await secret() })}\n` : `${await secret()}\n`,
        );
        return;
      }
      const webhooks = await tenantClient(WebhooksService, choice);
      const { listen } = await import("./listen/listening.ts");
      await listen(webhooks, { forwardTo, secret, type, isJson });
    });
}

import type { Command } from "commander";
import { IdentityService, type CoreToken } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { coreClient } from "../client.ts";
import { examples } from "../help.ts";
import { list } from "../options.ts";
import { print, timeText } from "../output.ts";

export function addTokens(program: Command): void {
  const tokens = program
    .command("tokens")
    .description("core tokens, which internal teams present over gRPC")
    .addHelpText(
      "after",
      examples(
        "tokens create --name billing --allow ledger:read,pricing:write",
        "tokens create --name gateways --allow identity:read,pricing:write,ledger:write,links:write,checkout:write",
        "tokens revoke ctk_…",
      ),
    );
  tokens
    .command("create")
    .description("create a token; its plaintext is shown only now")
    .requiredOption("--name <name>", "who will hold it, for people")
    .requiredOption(
      "--allow <permissions>",
      "what it may do: SERVICE:LEVEL,… with SERVICE among identity, pricing, ledger, links, checkout, webhooks or *, " +
        "and LEVEL among read, write, admin, each holding those before it",
      list,
    )
    .action(async ({ name, allow }: { name: string; allow: string[] }, command: Command) => {
      const { client, options } = await coreClient(IdentityService);
      const { id, token } = await client.createCoreToken({ name, permissions: allow }, options);
      print(command, { id, token, permissions: allow });
    });
  tokens
    .command("list")
    .description("list all tokens")
    .action(async (_options: object, command: Command) => {
      const { client, options } = await coreClient(IdentityService);
      const { coreTokens } = await client.listCoreTokens({}, options);
      print(command, coreTokens.map(row));
    });
  tokens
    .command("revoke")
    .description("revoke a token: refused from the next request on")
    .argument("<id>", "the token's id")
    .action(async (id: string, _options: object, command: Command) => {
      const { client, options } = await coreClient(IdentityService);
      const { coreToken } = await client.revokeCoreToken({ id }, options);
      if (coreToken) print(command, row(coreToken));
    });
}

function row({ id, name, permissions, lastFour, createdAt, revokedAt }: CoreToken) {
  return {
    id,
    name,
    permissions,
    token: `core_…${lastFour}`,
    created_at: timeText(createdAt),
    revoked_at: timeText(revokedAt),
  };
}

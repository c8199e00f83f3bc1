import type { Command } from "commander";
import { IdentityService, type CoreToken } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { coreClient } from "../core/client.ts";
import { examples } from "../output/help.ts";
import { boundModeOption, list, modeEnum, modeText } from "../output/options.ts";
import { print, timeCell } from "../output/output.ts";

interface CreateOptions {
  readonly name: string;
  readonly allow: string[];
  readonly tenant?: string;
  readonly mode?: string;
  readonly gateway?: boolean;
}

export function addTokens(program: Command): void {
  const tokens = program
    .command("tokens")
    .addHelpText(
      "after",
      examples(
        "tokens create --name billing --allow ledger:read,pricing:write",
        "tokens create --name refunds --allow refunds:write,receipts:write,payers:read --tenant ten_… --mode live",
        "tokens create --name rest-gateways --gateway --allow identity:read,pricing:write,ledger:write,links:write,checkout:write,refunds:write,providers:write,media:read",
        "tokens create --name gateways-with-console --gateway --allow '*:admin'",
        "tokens revoke ctk_…",
      ),
    );
  tokens
    .command("create")
    .description("create a token; its plaintext is shown only now")
    .requiredOption("--name <name>", "display name, such as that of its holder")
    .requiredOption(
      "--allow <permissions>",
      "what it may do: SERVICE:LEVEL,… with SERVICE among identity, pricing, ledger, links, checkout, webhooks, providers, media, reconciliation or *, " +
        "and LEVEL among read, write, admin, each of which includes those before it; four more, which only *:admin includes: " +
        "receipts:write records money taken in by hand, refunds:write gives money back, payers:read shows payers' data, payers:write erases it",
      list,
    )
    .option("--tenant <id>", "only for this tenant")
    .addOption(boundModeOption())
    .option("--gateway", "for a gateway: its calls for merchants and payers are not in the audit log")
    .action(async ({ name, allow, tenant, mode, gateway = false }: CreateOptions, command: Command) => {
      const { client, options } = await coreClient(IdentityService);
      const request = {
        name,
        permissions: allow,
        isGateway: gateway,
        tenantId: tenant,
        mode: mode === undefined ? undefined : modeEnum(mode),
      };
      const { id, token } = await client.createCoreToken(request, options);
      print(command, { id, token, permissions: allow, tenant: tenant ?? null, mode: mode ?? null });
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

function row({ id, name, permissions, lastFour, createdAt, revokedAt, ...bounds }: CoreToken) {
  return {
    id,
    name,
    permissions,
    tenant: bounds.tenantId ?? null,
    mode: modeText(bounds.mode),
    gateway: bounds.isGateway ? "yes" : null,
    token: `core_…${lastFour}`,
    created_at: timeCell(createdAt),
    revoked_at: timeCell(revokedAt),
  };
}

import type { Command } from "commander";
import { IdentityService, Mode, type ApiKey } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { coreClient } from "../client.ts";
import { examples } from "../help.ts";
import { list, modeEnum, modeOption } from "../options.ts";
import { print, timeText } from "../output.ts";

interface CreateOptions {
  readonly tenant: string;
  readonly mode: string;
  readonly scopes?: string[];
  readonly name: string;
}

export function addKeys(program: Command): void {
  const keys = program
    .command("keys")
    .description("API keys")
    .addHelpText(
      "after",
      examples(
        'keys create --tenant ten_… --mode test --name "the shop"',
        "keys create --tenant ten_… --mode live --scopes payments:read",
        "keys revoke key_…",
      ),
    );
  keys
    .command("create")
    .description("create a key; its plaintext is shown only now")
    .requiredOption("--tenant <id>", "owner")
    .addOption(modeOption())
    .option("--scopes <scopes>", "what it may do (default all)", list)
    .option("--name <name>", "name for people", "")
    .action(async ({ tenant: tenantId, mode, scopes = [], name }: CreateOptions, command: Command) => {
      const { client, options } = await coreClient(IdentityService);
      const made = await client.createApiKey({ tenantId, mode: modeEnum(mode), scopes, name }, options);
      print(command, { id: made.id, key: made.key, scopes: made.scopes });
    });
  keys
    .command("list")
    .description("list a tenant's keys")
    .requiredOption("--tenant <id>", "owner")
    .action(async ({ tenant: tenantId }: { tenant: string }, command: Command) => {
      const { client, options } = await coreClient(IdentityService);
      const { apiKeys } = await client.listApiKeys({ tenantId }, options);
      print(command, apiKeys.map(row));
    });
  keys
    .command("revoke")
    .description("revoke a key: refused from the next request on")
    .argument("<id>", "the key's id")
    .action(async (id: string, _options: object, command: Command) => {
      const { client, options } = await coreClient(IdentityService);
      const { apiKey } = await client.revokeApiKey({ id }, options);
      if (apiKey) print(command, row(apiKey));
    });
}

function row({ id, name, mode, prefix, lastFour, scopes, createdAt, revokedAt }: ApiKey) {
  return {
    id,
    name,
    mode: mode === Mode.LIVE ? "live" : "test",
    key: `${prefix}…${lastFour}`,
    scopes,
    created_at: timeText(createdAt),
    revoked_at: timeText(revokedAt),
  };
}

import { timestampFromMs, type Timestamp } from "@bufbuild/protobuf/wkt";
import { Option, type Command } from "commander";
import { SCOPES } from "../../contract/scopes.ts";
import { IdentityService, type ApiKey } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { coreClient } from "../core/client.ts";
import { examples } from "../output/help.ts";
import { boundModeOption, duration, list, modeEnum, modeOption, modeText, time } from "../output/options.ts";
import { print, timeCell } from "../output/output.ts";

interface CreateOptions {
  readonly tenant: string;
  readonly mode: string;
  readonly scopes?: string[];
  readonly name: string;
  readonly expiresIn?: number;
  readonly expiresAt?: Timestamp;
  readonly allowAddress?: string[];
}

interface RotateOptions {
  readonly overlap?: number;
}

export function addKeys(program: Command): void {
  const keys = program
    .command("keys")
    .addHelpText(
      "after",
      examples(
        'keys create --tenant ten_… --mode test --name "the shop"',
        "keys create --tenant ten_… --mode live --scopes payments:read",
        "keys create --tenant ten_… --mode live --expires-in 90d --allow-address 203.0.113.7,2001:db8::/48",
        "keys rotate key_… --overlap 24h",
        "keys revoke key_…",
      ),
    );
  keys
    .command("create")
    .description("create a key; its plaintext is shown only now")
    .requiredOption("--tenant <id>", "owner")
    .addOption(modeOption())
    .option("--scopes <scopes>", `what it may do, among ${SCOPES.join(", ")} (default all)`, list)
    .option("--name <name>", "display name", "")
    .option(
      "--expires-in <time>",
      "how long it is valid, such as 90d or 12h (default: it never expires)",
      duration,
    )
    .addOption(
      new Option("--expires-at <time>", "or until when, in ISO 8601").argParser(time).conflicts("expiresIn"),
    )
    .option(
      "--allow-address <addresses>",
      "addresses from which it may be used: IP addresses and networks, with commas (default: any)",
      list,
    )
    .action(async (given: CreateOptions, command: Command) => {
      const { client, options } = await coreClient(IdentityService);
      const { tenant: tenantId, mode, scopes = [], name, allowAddress: addresses = [] } = given;
      const expiresAt = expiryOf(given);
      const request = { tenantId, mode: modeEnum(mode), scopes, name, addresses };
      const made = await client.createApiKey(expiresAt ? { ...request, expiresAt } : request, options);
      print(command, {
        id: made.id,
        key: made.key,
        scopes: made.scopes,
        ...(expiresAt ? { expires_at: timeCell(expiresAt) } : {}),
        ...(addresses.length > 0 ? { addresses } : {}),
      });
    });
  keys
    .command("list")
    .description("list a tenant's keys")
    .requiredOption("--tenant <id>", "owner")
    .addOption(boundModeOption())
    .action(async ({ tenant: tenantId, mode }: { tenant: string; mode?: string }, command: Command) => {
      const { client, options } = await coreClient(IdentityService);
      const { apiKeys } = await client.listApiKeys({ tenantId }, options);
      const wanted = apiKeys.filter((key) => mode === undefined || key.mode === modeEnum(mode));
      print(command, wanted.map(row));
    });
  keys
    .command("rotate")
    .description("replace a key by a new one; the old one stays valid for an overlap")
    .argument("<id>", "the key that is replaced")
    .option(
      "--overlap <time>",
      "how long the old one stays valid, such as 24h, at most 30d (default 24h)",
      duration,
    )
    .action(async (id: string, { overlap }: RotateOptions, command: Command) => {
      const { client, options } = await coreClient(IdentityService);
      const request = overlap === undefined ? { id } : { id, overlapSeconds: BigInt(overlap) };
      const made = await client.rotateApiKey(request, options);
      print(command, {
        id: made.id,
        key: made.key,
        scopes: made.scopes,
        expires_at: timeCell(made.expiresAt),
        replaced: id,
        replaced_expires_at: timeCell(made.replaced?.expiresAt),
      });
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

function expiryOf({ expiresIn, expiresAt }: CreateOptions): Timestamp | undefined {
  return expiresIn === undefined
    ? expiresAt
    : timestampFromMs((Math.floor(Date.now() / 1000) + expiresIn) * 1000);
}

function row({ id, name, mode, prefix, lastFour, scopes, createdAt, ...state }: ApiKey) {
  return {
    id,
    name,
    mode: modeText(mode),
    key: `${prefix}…${lastFour}`,
    scopes,
    created_at: timeCell(createdAt),
    expires_at: timeCell(state.expiresAt),
    addresses: state.addresses,
    replaced_by: state.replacedBy ?? null,
    revoked_at: timeCell(state.revokedAt),
  };
}

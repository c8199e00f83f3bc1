import { createClient, type Client, type Transport } from "@connectrpc/connect";
import { hash } from "node:crypto";
import { join } from "node:path";
import { HEADERS } from "../../contract/headers.ts";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { Role, UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { Config } from "../../src/platform/config/config.ts";
import { keepPrivately, readIfPresent } from "../../src/platform/config/private-file.ts";
import { PRESETS } from "./starter-rules.ts";

/** A demo tenant with its keys, as stored in the data folder. */
export interface DemoTenant {
  readonly id: string;
  readonly name: string;
  readonly payout_currency: string;
  readonly test_key: string;
  readonly live_key: string;
  /** Token of the one-time link to the console, for the tenant's first owner. */
  readonly owner_invitation?: string;
}

const OWNER_EMAIL = "owner@example.com";
const COVERAGE_PPM = 15_000n;
const IOF_PPM = 35_000n;
const SPOT_MICROS = 5_432_100n;
// The demo's rate is fixed, so it must not expire.
const MAX_AGE_SECONDS = 4_000_000_000n;

/**
 * Creates the demo's rules, rates, two tenants and their keys, once. The keys are stored in the data folder (mode
 * 0600), and later starts read them from there.
 */
export async function seedDemo(
  config: Config,
  transport: Transport,
  coreToken: string,
): Promise<DemoTenant[]> {
  const file = join(config.dataDir, "demo-keys.json");
  const kept = await readIfPresent(file);
  if (kept !== undefined) return JSON.parse(kept) as DemoTenant[];
  const headers = { authorization: `Bearer ${coreToken}`, [HEADERS.actor]: "command_line" };
  const identity = createClient(IdentityService, transport);
  await seedPricing(createClient(PricingService, transport), headers);
  const tenants: DemoTenant[] = [];
  for (const payoutCurrency of ["BRL", "USD"]) {
    const name = `Demo ${payoutCurrency}`;
    const paymentMethods = ["pix", "card", "ted"];
    const { id } = await identity.createTenant({ name, payoutCurrency, paymentMethods }, { headers });
    const key = async (mode: Mode) =>
      (await identity.createApiKey({ tenantId: id, mode, name: "demo" }, { headers })).key;
    tenants.push({
      id,
      name,
      payout_currency: payoutCurrency,
      test_key: await key(Mode.TEST),
      live_key: await key(Mode.LIVE),
      ...(payoutCurrency === "BRL" ? { owner_invitation: await inviteOwner(transport, id, headers) } : {}),
    });
  }
  await keepPrivately(file, `${JSON.stringify(tenants, null, 2)}\n`);
  return tenants;
}

async function inviteOwner(
  transport: Transport,
  tenantId: string,
  headers: Record<string, string>,
): Promise<string> {
  const users = createClient(UsersService, transport);
  return (await users.inviteUser({ tenantId, email: OWNER_EMAIL, role: Role.OWNER }, { headers })).token;
}

/** Returns whether the demo owner's link still works. It ends when it is used, or after a week. */
export async function isOwnerInvited(
  tenants: readonly DemoTenant[],
  transport: Transport,
  coreToken: string,
): Promise<boolean> {
  const token = tenants.find((tenant) => tenant.owner_invitation !== undefined)?.owner_invitation;
  if (token === undefined) return false;
  const users = createClient(UsersService, transport);
  const tokenHash = hash("sha256", token, "buffer");
  const headers = { authorization: `Bearer ${coreToken}` };
  return await users.getInvitation({ tokenHash }, { headers }).then(
    () => true,
    () => false,
  );
}

/** Creates the rules, policies and rates of the demo, for every tenant and both modes. */
export async function seedPricing(
  pricing: Client<typeof PricingService>,
  headers: Record<string, string>,
): Promise<void> {
  for (const mode of [Mode.LIVE, Mode.TEST]) {
    for (const rule of PRESETS.all)
      await pricing.putPricingRule({ tenantId: "default", mode, ...rule }, { headers });
    const policy = { coveragePpm: COVERAGE_PPM, iofPpm: IOF_PPM, iofEnabled: false };
    await pricing.putFxPolicy({ tenantId: "default", mode, ...policy }, { headers });
    const spot = { spotMicros: SPOT_MICROS, maxAgeSeconds: MAX_AGE_SECONDS };
    await pricing.publishFxRate({ mode, ...spot }, { headers });
  }
}

/** Returns the demo's output: keys, an example command, and the link to the console until its owner has used it. */
export function demoText(
  tenants: readonly DemoTenant[],
  publicUrl: string,
  { isOwnerInvited: isInvited }: { readonly isOwnerInvited: boolean },
): string {
  const consoleText = ({ owner_invitation: token }: DemoTenant): string =>
    token === undefined || !isInvited ? "" : `\n    console   ${publicUrl}/console/invitations/${token}`;
  const of = (tenant: DemoTenant): string => `
  ${tenant.name} (${tenant.id}), paid out in ${tenant.payout_currency}
    test key  ${tenant.test_key}
    live key  ${tenant.live_key}${consoleText(tenant)}
    try       curl -sS ${publicUrl}/v1/quotes -H 'Authorization: Bearer ${tenant.test_key}' -H "Idempotency-Key: $(date +%s%N)" -H 'Content-Type: application/json' -d '{"amount":15990,"currency":"BRL","payment_method":"pix"}'`;
  return `\nDemo tenants${tenants.map(of).join("\n")}\n`;
}

import type { Command } from "commander";
import {
  PricingService,
  type GetFxRateResponse,
  type HeldFxRate,
} from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { formatMicros } from "../../src/pricing/rate.ts";
import { coreClient } from "../core/client.ts";
import { examples } from "../output/help.ts";
import { bigCount, liveModeOption, modeEnum, modeOption, rate } from "../output/options.ts";
import { print, timeCell, type Row } from "../output/output.ts";

interface PolicyOptions {
  readonly tenant: string;
  readonly mode: string;
  readonly coveragePpm: bigint;
  readonly iofPpm: bigint;
  readonly iofEnabled?: boolean;
  readonly iofNature: string;
  readonly iofLegalBasis: string;
}

export function addFx(program: Command): void {
  const fx = program
    .command("fx")
    .addHelpText(
      "after",
      examples(
        "fx publish --mode test --spot 5.432100 --max-age 3600",
        "fx show --mode test",
        "fx held",
        "fx release fxs_01k9z0xkq6e2tv4wq3m5n7p8ra",
        "fx policy --tenant default --mode test --coverage-ppm 15000 --iof-ppm 35000",
      ),
    );
  fx.command("publish")
    .description("publish a spot rate, in force from now on")
    .addOption(modeOption())
    .requiredOption("--spot <rate>", "BRL per USD, 0.01 to 1000, for example 5.432100", rate)
    .option("--max-age <seconds>", "age past which it is not used, in seconds (default: 86400)", bigCount)
    .action(async (options: { mode: string; spot: bigint; maxAge?: bigint }, command: Command) => {
      const { client, options: call } = await coreClient(PricingService);
      const { mode, spot, maxAge } = options;
      const request = {
        mode: modeEnum(mode),
        spotMicros: spot,
        maxAgeSeconds: maxAge,
      };
      print(command, { id: (await client.publishFxRate(request, call)).id });
    });
  fx.command("show")
    .description("show the newest spot rate, the policy in force and the rate of new quotes")
    .addOption(modeOption())
    .option("--tenant <id>", "the tenant whose policy is shown", "default")
    .action(async ({ mode, tenant: tenantId }: { mode: string; tenant: string }, command: Command) => {
      const { client, options: call } = await coreClient(PricingService);
      print(command, sheet(await client.getFxRate({ mode: modeEnum(mode), tenantId }, call)));
    });
  fx.command("held")
    .description("list fetched rates that wait for their release: they jumped, or are a bank day's second")
    .addOption(liveModeOption())
    .action(async ({ mode }: { mode: string }, command: Command) => {
      const { client, options: call } = await coreClient(PricingService);
      const { rates } = await client.listHeldFxRates({ mode: modeEnum(mode) }, call);
      print(command, rates.map(heldRow));
    });
  fx.command("release")
    .description("put a held rate in force, from its bulletin's time on")
    .argument("<id>", "the held rate")
    .addOption(liveModeOption())
    .action(async (id: string, { mode }: { mode: string }, command: Command) => {
      const { client, options: call } = await coreClient(PricingService);
      print(command, { id: (await client.releaseFxRate({ mode: modeEnum(mode), id }, call)).id });
    });
  fx.command("policy")
    .description("put a new version of the FX policy in force")
    .requiredOption("--tenant <id>", "tenant, or default for all without a policy of their own")
    .addOption(modeOption())
    .requiredOption("--coverage-ppm <n>", "margin on the spot rate, in ppm: 15000 is 1.5 %", bigCount)
    .requiredOption("--iof-ppm <n>", "IOF tax, in ppm: 35000 is 3.5 %", bigCount)
    .option("--iof-enabled", "collect IOF where it applies")
    .option("--iof-nature <text>", "kind of operation that is taxed", "")
    .option("--iof-legal-basis <text>", "decree or law that sets the tax", "")
    .action(async (options: PolicyOptions, command: Command) => {
      const { client, options: call } = await coreClient(PricingService);
      const { tenant: tenantId, mode, iofEnabled = false, ...rest } = options;
      const made = await client.putFxPolicy({ ...rest, tenantId, mode: modeEnum(mode), iofEnabled }, call);
      print(command, { id: made.id });
    });
}

function heldRow(held: HeldFxRate): Row {
  return {
    id: held.id,
    spot: formatMicros(held.spotMicros),
    last: formatMicros(held.lastMicros),
    jump_ppm: Number(held.jumpPpm),
    source: held.source,
    published_at: timeCell(held.publishedAt),
    fetched_at: timeCell(held.fetchedAt),
  };
}

function sheet({ spot, policy, publicRateMicros, heldCount, feed }: GetFxRateResponse): Row {
  return {
    public_rate: publicRateMicros === undefined ? null : formatMicros(publicRateMicros),
    spot: spot ? formatMicros(spot.spotMicros) : null,
    source: spot?.source ?? null,
    published_at: timeCell(spot?.publishedAt),
    max_age: spot ? Number(spot.maxAgeSeconds) : null,
    age: spot ? Number(spot.ageSeconds) : null,
    bulletin: spot?.bulletin ?? null,
    fetched_at: timeCell(spot?.fetchedAt),
    held: heldCount,
    feed: feed?.source ?? null,
    feed_answered_at: timeCell(feed?.answeredAt),
    feed_failures: feed?.failureCount ?? null,
    feed_failure: feed?.failure ?? null,
    policy: policy?.id ?? null,
    policy_tenant: policy?.tenantId ?? null,
    coverage_ppm: policy ? Number(policy.coveragePpm) : null,
    iof_ppm: policy ? Number(policy.iofPpm) : null,
    iof_enabled: policy ? (policy.iofEnabled ? "yes" : "no") : null,
    iof_nature: policy?.iofNature ?? null,
    iof_legal_basis: policy?.iofLegalBasis ?? null,
    policy_valid_from: timeCell(policy?.validFrom),
  };
}

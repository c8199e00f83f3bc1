import { Option, type Command } from "commander";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { coreClient } from "../core/client.ts";
import { examples } from "../output/help.ts";
import { count, list } from "../output/options.ts";
import { print } from "../output/output.ts";
import { missingOf, type Missing } from "./tenants/missing.ts";

interface UpdateOptions {
  readonly refundFee?: string;
  readonly settlementDays?: number;
  readonly leastSettlementDays?: number;
  readonly payerRetentionDays?: number;
  readonly exceptionRefundHours?: number;
}

interface CreateOptions {
  readonly name: string;
  readonly payoutCurrency: string;
  readonly methods?: string[];
  readonly maxInstallments?: number;
  readonly settlementDays?: number;
  readonly collect?: string[];
}

export function addTenants(program: Command): void {
  const tenants = program
    .command("tenants")
    .addHelpText(
      "after",
      examples(
        'tenants create --name "My shop" --payout-currency BRL --methods pix,card',
        "tenants list --json",
        "tenants update ten_… --refund-fee service",
        "tenants update ten_… --settlement-days 2 --least-settlement-days 2",
      ),
    );
  tenants
    .command("create")
    .description("create a tenant with one legal entity; prints what it needs before it can sell")
    .requiredOption("--name <name>", "display name")
    .requiredOption("--payout-currency <currency>", "BRL or USD")
    .option("--methods <methods>", "contracted methods: pix,card,ted (default pix,card)", list)
    .option("--max-installments <n>", "highest number of card installments (default 21)", count)
    .option("--settlement-days <n>", "business days from success to settlement (default 1)", count)
    .option("--collect <fields>", "collected from payers when a link names none: phone,address", list)
    .action(async (options: CreateOptions, command: Command) => {
      const { client, options: call } = await coreClient(IdentityService);
      const { name, payoutCurrency, maxInstallments, settlementDays } = options;
      const request = {
        name,
        payoutCurrency,
        paymentMethods: options.methods ?? [],
        collectFields: options.collect ?? [],
        maxInstallments,
        settlementDays,
      };
      const { id, legalEntityId } = await client.createTenant(request, call);
      // The tenant is made: its id is printed whatever becomes of these reads.
      const missing = await missingFor(id).catch(() => null);
      print(command, { id, legal_entity_id: legalEntityId, missing });
    });
  tenants
    .command("update")
    .description("change a tenant's settings")
    .argument("<id>", "the tenant's id")
    .addOption(
      new Option(
        "--refund-fee <who>",
        "who bears the fee of refunded money: merchant, or service, which then gives its fee back",
      ).choices(["merchant", "service"]),
    )
    .option("--settlement-days <n>", "business days from success to settlement", count)
    .option("--least-settlement-days <n>", "least settlement term that owner and API keys may choose", count)
    .option("--payer-retention-days <n>", "days for which payers' details are kept, 0: without end", count)
    .option(
      "--exception-refund-hours <n>",
      "hours after which money that came late or twice is given back by itself, 0: never",
      count,
    )
    .action(async (tenantId: string, given: UpdateOptions, command: Command) => {
      if (Object.keys(given).length === 0) command.error("error: give a setting to change");
      const { client, options: call } = await coreClient(IdentityService);
      const { tenant } = await client.updateTenant({ tenantId, ...given }, call);
      const { refundFee = "", settlementDays = 0, leastSettlementDays = 0 } = tenant ?? {};
      const { payerRetentionDays = 0, exceptionRefundHours = 0 } = tenant ?? {};
      print(command, {
        id: tenantId,
        refund_fee: refundFee,
        settlement_days: settlementDays,
        least_settlement_days: leastSettlementDays,
        payer_retention_days: payerRetentionDays,
        exception_refund_hours: exceptionRefundHours,
      });
    });
  tenants
    .command("list")
    .description("list all tenants")
    .action(async (_options: object, command: Command) => {
      const { client, options: call } = await coreClient(IdentityService);
      const { tenants: all } = await client.listTenants({}, call);
      const rows = all.map((one) => ({
        id: one.id,
        name: one.name,
        payout_currencies: one.payoutCurrencies,
        payment_methods: one.paymentMethods,
        max_installments: one.maxInstallments,
        settlement_days: one.settlementDays,
        least_settlement_days: one.leastSettlementDays,
        payer_retention_days: one.payerRetentionDays,
        exception_refund_hours: one.exceptionRefundHours,
        refund_fee: one.refundFee,
      }));
      print(command, rows);
    });
}

/** Reads what a new tenant needs before it can sell. Throws ConnectError. */
async function missingFor(tenantId: string): Promise<Missing[]> {
  const { client, options } = await coreClient(IdentityService);
  const { client: pricing } = await coreClient(PricingService);
  const { tenant, legalEntities } = await client.getTenant({ tenantId }, options);
  const found: Missing[] = [];
  for (const [word, mode] of [
    ["test", Mode.TEST],
    ["live", Mode.LIVE],
  ] as const) {
    const { rules } = await pricing.listPricingRules({ tenantId, mode }, options);
    const fx = await pricing.getFxRate({ tenantId, mode }, options);
    const payoutCurrency = legalEntities[0]?.payoutCurrency === "USD" ? "USD" : "BRL";
    const methods = tenant?.paymentMethods ?? [];
    found.push(...missingOf({ mode: word, tenantId, methods, payoutCurrency, rules, fx }));
  }
  return found;
}

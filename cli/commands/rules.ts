import { Option, type Command } from "commander";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  FeeHandling,
  PaymentMethod,
  PricingService,
  type PricingRule,
} from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { coreClient } from "../core/client.ts";
import { examples } from "../output/help.ts";
import { bigCount, bigCounts, modeEnum, modeOption } from "../output/options.ts";
import { print, timeCell, type Row } from "../output/output.ts";
import { PRESETS } from "../serve/starter-rules.ts";

interface PutOptions {
  readonly tenant: string;
  readonly mode: string;
  readonly method: string;
  readonly currency: string;
  readonly percentPpm: bigint;
  readonly fixed: bigint;
  readonly min: bigint;
  readonly max?: bigint;
  readonly surchargePpm?: bigint[];
  readonly defaultFeeHandling: string;
}

interface InitOptions {
  readonly tenant: string;
  readonly mode: string;
  readonly preset: keyof typeof PRESETS;
}

const methods = wordsOf(PaymentMethod);
const feeHandlings = wordsOf(FeeHandling);

export function addRules(program: Command): void {
  const rules = program
    .command("rules")
    .addHelpText(
      "after",
      examples(
        "rules put --tenant default --mode test --method pix --currency BRL --percent-ppm 9900 --fixed 40 --min 100",
        "rules init --tenant ten_… --mode test --preset brl",
        "rules list --tenant ten_… --mode test",
        "rules put --tenant ten_… --mode test --method card --currency BRL --percent-ppm 39900 --fixed 39 --min 100 --surcharge-ppm 0,9536,19072",
      ),
    );
  rules
    .command("put")
    .description("put a new version of a pricing rule in force")
    .requiredOption("--tenant <id>", "tenant, or default for all without a rule of their own")
    .addOption(modeOption())
    .addOption(
      new Option("--method <method>", "payment method that it prices")
        .choices(methods.all)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option("--currency <currency>", "pricing currency").choices(["BRL", "USD"]).makeOptionMandatory(),
    )
    .requiredOption("--percent-ppm <n>", "percentage of the amount, in ppm: 9900 is 0.99 %", bigCount)
    .requiredOption("--fixed <n>", "fixed part, in the smallest unit of the currency", bigCount)
    .requiredOption("--min <n>", "lowest fee, in the smallest unit", bigCount)
    .option("--max <n>", "highest fee, in the smallest unit (default: none)", bigCount)
    .option(
      "--surcharge-ppm <n1,…>",
      "surcharge for 1, 2, … installments, in ppm (the first is 0; default: none)",
      bigCounts,
    )
    .addOption(
      new Option("--default-fee-handling <who>", "who pays the fee of a quote without its own choice")
        .choices(feeHandlings.all)
        .default("absorb"),
    )
    .action(async (options: PutOptions, command: Command) => {
      const { client, options: call } = await coreClient(PricingService);
      const { tenant: tenantId, mode, method, max, surchargePpm = [], defaultFeeHandling, ...rest } = options;
      const made = await client.putPricingRule(
        {
          ...rest,
          tenantId,
          mode: modeEnum(mode),
          surchargePpm,
          paymentMethod: methods.numberOf(method) ?? PaymentMethod.UNSPECIFIED,
          max,
          defaultFeeHandling: feeHandlings.numberOf(defaultFeeHandling) ?? FeeHandling.UNSPECIFIED,
        },
        call,
      );
      print(command, { rule_id: made.ruleId });
    });
  rules
    .command("init")
    .description(
      "put a starter set of rules in force; rules that are in force stay; `rules put` changes them",
    )
    .requiredOption("--tenant <id>", "tenant, or default for all without a rule of their own")
    .addOption(modeOption())
    .addOption(
      new Option("--preset <name>", "rules for pix, ted and card with fees in BRL, in USD, or both")
        .choices(Object.keys(PRESETS))
        .default("all"),
    )
    .action(async ({ tenant: tenantId, mode: word, preset }: InitOptions, command: Command) => {
      const { client, options: call } = await coreClient(PricingService);
      const mode = modeEnum(word);
      const { rules: present } = await client.listPricingRules({ tenantId, mode }, call);
      const rows: Row[] = [];
      for (const rule of PRESETS[preset]) {
        const { paymentMethod, currency } = rule;
        const kept = present.find((one) => one.paymentMethod === paymentMethod && one.currency === currency);
        const { ruleId } = kept
          ? { ruleId: kept.id }
          : await client.putPricingRule({ tenantId, mode, ...rule }, call);
        const method = methods.wordOf(paymentMethod) ?? "unknown";
        rows.push({ rule_id: ruleId, method, currency, result: kept ? "kept" : "added" });
      }
      print(command, rows);
    });
  rules
    .command("list")
    .description("list the rules in force for a tenant, amounts in the smallest unit")
    .requiredOption("--tenant <id>", "tenant, or default for the default rules alone")
    .addOption(modeOption())
    .action(async ({ tenant: tenantId, mode }: { tenant: string; mode: string }, command: Command) => {
      const { client, options: call } = await coreClient(PricingService);
      const found = await client.listPricingRules({ tenantId, mode: modeEnum(mode) }, call);
      print(command, found.rules.map(row));
    });
}

function row(rule: PricingRule): Row {
  return {
    id: rule.id,
    tenant: rule.tenantId,
    method: methods.wordOf(rule.paymentMethod) ?? "unknown",
    currency: rule.currency,
    percent_ppm: Number(rule.percentPpm),
    fixed: Number(rule.fixed),
    min: Number(rule.min),
    max: rule.max === undefined ? null : Number(rule.max),
    surcharge_ppm: rule.surchargePpm.map(String),
    default_fee_handling: feeHandlings.wordOf(rule.defaultFeeHandling) ?? "unknown",
    created_at: timeCell(rule.createdAt),
  };
}

import { wordsOf } from "../../../contract/enum-words.ts";
import {
  PaymentMethod,
  type GetFxRateResponse,
  type PricingRule,
} from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { CURRENCIES, pricingCurrency, type Currency } from "../../../src/pricing/fee-rule.ts";

/** A new tenant in one mode. */
export interface NewTenant {
  readonly mode: "test" | "live";
  readonly tenantId: string;
  /** Its contracted methods. */
  readonly methods: readonly string[];
  readonly payoutCurrency: Currency;
  /** The rules in force for it, the default ones included. */
  readonly rules: readonly Pick<PricingRule, "paymentMethod" | "currency">[];
  readonly fx: Pick<GetFxRateResponse, "policy" | "publicRateMicros">;
}

/** What a tenant needs before it can sell in a mode, and the command that gives it. */
export type Missing = Readonly<Record<"mode" | "missing" | "command", string>>;

const words = wordsOf(PaymentMethod);

/**
 * Returns what a new tenant lacks to sell in a mode: rules of its methods, a policy and a rate if it is paid out in USD, and
 * in live mode an account at a provider.
 */
export function missingOf(tenant: NewTenant): Missing[] {
  const { mode, payoutCurrency, fx } = tenant;
  const of = `--tenant ${tenant.tenantId} --mode ${mode}`;
  const found: Missing[] = [];
  const unpriced = unpricedMethods(tenant);
  if (unpriced.length > 0) {
    const preset = payoutCurrency === "BRL" ? "brl" : "all";
    const command = `paylink rules init ${of} --preset ${preset}`;
    found.push({ mode, missing: `pricing rules: ${unpriced.join(", ")}`, command });
  }
  if (payoutCurrency === "USD" && !fx.policy) {
    const command = `paylink fx policy --tenant default --mode ${mode} --coverage-ppm 15000 --iof-ppm 35000`;
    found.push({ mode, missing: "exchange rate policy", command });
  }
  if (payoutCurrency === "USD" && fx.publicRateMicros === undefined) {
    const command = `paylink fx publish --mode ${mode} --spot 5.432100`;
    found.push({ mode, missing: "exchange rate", command });
  }
  if (mode === "live") {
    const command = `paylink providers put ${of} --kind pix --profile PROFILE --config FILE`;
    found.push({ mode, missing: "account at a payment provider", command });
  }
  return found;
}

/** Returns the methods without a rule in a currency that fees of the tenant's sales are in, as "pix in BRL". */
function unpricedMethods({ methods, payoutCurrency, rules }: NewTenant): string[] {
  const isPriced = (method: string, currency: Currency): boolean =>
    rules.some((rule) => words.wordOf(rule.paymentMethod) === method && rule.currency === currency);
  const currencies = new Set(CURRENCIES.map((currency) => pricingCurrency(currency, payoutCurrency)));
  return [...currencies].flatMap((currency) =>
    methods.filter((method) => !isPriced(method, currency)).map((method) => `${method} in ${currency}`),
  );
}

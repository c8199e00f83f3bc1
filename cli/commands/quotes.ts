import { Option, type Command } from "commander";
import { wordsOf } from "../../contract/enum-words.ts";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import {
  FeeHandling,
  PaymentMethod,
  PricingService,
  QuoteStatus,
  type Quote,
  type QuoteScenario,
} from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { formatMicros } from "../../src/pricing/rate.ts";
import { tenantClient, withNewKey } from "../core/client.ts";
import { examples } from "../output/help.ts";
import {
  bigCount,
  count,
  currencyOption,
  duration,
  feeHandlingOption,
  forTenant,
  type TenantChoice,
} from "../output/options.ts";
import { print, timeCell, type Row } from "../output/output.ts";

type CreateOptions = TenantChoice & {
  readonly amount: bigint;
  readonly currency: string;
  readonly method?: string;
  readonly installments?: number;
  readonly feeHandling?: string;
};

type AcceptOptions = TenantChoice & {
  readonly name: string;
  readonly expiresIn?: number;
  readonly campaign?: boolean;
  readonly reference?: string;
};

const methods = wordsOf(PaymentMethod);
const feeHandlings = wordsOf(FeeHandling);
const statuses = wordsOf(QuoteStatus);

export function addQuotes(program: Command): void {
  const quotes = program
    .command("quotes")
    .addHelpText(
      "after",
      examples(
        "quotes create --tenant ten_… --mode test --amount 15990",
        "quotes create --tenant ten_… --mode test --amount 15990 --method card --installments 3",
        "quotes get qt_… --tenant ten_… --mode test",
        'quotes accept qt_… --tenant ten_… --mode test --name "Running shoes"',
      ),
    );
  forTenant(quotes.command("create"))
    .description("price an amount for half an hour, by one method or by every payment option")
    .requiredOption("--amount <n>", "amount, in the smallest unit of the currency", bigCount)
    .addOption(currencyOption())
    .addOption(
      new Option("--method <method>", "how the payer pays (default: every payment option)").choices(
        methods.all,
      ),
    )
    .option("--installments <n>", "number of card installments; without a method, the most of them", count)
    .addOption(feeHandlingOption("that of the pricing rule"))
    .action(async ({ tenant, mode, method, feeHandling, ...given }: CreateOptions, command: Command) => {
      const { client, options } = await tenantClient(PricingService, { tenant, mode });
      const request = {
        ...given,
        paymentMethod: methods.numberOf(method),
        feeHandling: feeHandlings.numberOf(feeHandling),
      };
      const { result } = await client.createQuote(request, withNewKey(options));
      if (result.case === "quote") return print(command, quoteRow(result.value));
      const { pix, ted, card = [] } = result.value ?? {};
      print(command, [...(pix ? [pix] : []), ...(ted ? [ted] : []), ...card].map(scenarioRow));
    });
  forTenant(quotes.command("get"))
    .description("show a quote")
    .argument("<id>", "the quote's id, qt_…")
    .action(async (id: string, choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(PricingService, choice);
      const { quote, details } = (await client.getQuote({ id }, options)).quote ?? {};
      const status = statuses.wordOf(details?.status) ?? "unknown";
      if (quote) print(command, { ...quoteRow(quote), status, link: details?.linkId ?? null });
    });
  forTenant(quotes.command("accept"))
    .description("accept a quote: makes a payment link at its price, and prints where the payer pays")
    .argument("<id>", "the quote's id, qt_…")
    .requiredOption("--name <text>", "product name that the payer sees")
    .option(
      "--expires-in <time>",
      "how long it may be paid, such as 24h (default: 24h; a campaign: it never expires)",
      duration,
    )
    .option("--campaign", "it stays open after each payment, each at the rate of its own time")
    .option("--reference <text>", "the merchant's reconciliation key, such as an order's number")
    .action(async (id: string, { tenant, mode, expiresIn, ...given }: AcceptOptions, command: Command) => {
      const { client, options } = await tenantClient(LinksService, { tenant, mode });
      const request = { id, ...given, expiresIn: expiresIn === undefined ? undefined : BigInt(expiresIn) };
      const { acceptedLink: link } = await client.acceptQuote(request, withNewKey(options));
      if (!link) return;
      const { notPayableReason, expiresAt } = link;
      print(command, {
        id: link.id,
        checkout_url: link.checkoutUrl,
        payment_intent_id: link.paymentIntentId,
        payment_method: methods.wordOf(link.paymentMethod) ?? "unknown",
        ...priceCells(link),
        reference: link.reference ?? null,
        expires_at: expiresAt && expiresAt.seconds > 0n ? timeCell(expiresAt) : null,
        ...(notPayableReason === undefined ? {} : { not_payable_reason: notPayableReason }),
      });
    });
}

/** The parts of a price that quotes, scenarios and links of quotes have. */
type Priced = Pick<
  Quote,
  "installments" | "payerTotal" | "payerCurrency" | "receiverNet" | "receiverCurrency"
>;

function priceCells(priced: Priced): Row {
  return {
    installments: priced.installments,
    payer_total: Number(priced.payerTotal),
    payer_currency: priced.payerCurrency,
    receiver_net: Number(priced.receiverNet),
    receiver_currency: priced.receiverCurrency,
  };
}

function quoteRow(quote: Quote): Row {
  return {
    id: quote.id,
    payment_method: methods.wordOf(quote.paymentMethod) ?? "unknown",
    ...priceCells(quote),
    rate: quote.fx ? formatMicros(quote.fx.rate) : null,
    rule_id: quote.ruleId,
    expires_at: timeCell(quote.expiresAt),
    created_at: timeCell(quote.createdAt),
  };
}

function scenarioRow(scenario: QuoteScenario): Row {
  return {
    id: scenario.quoteId,
    payment_method: methods.wordOf(scenario.method) ?? "unknown",
    ...priceCells(scenario),
    rate: scenario.fx ? formatMicros(scenario.fx.rate) : null,
    expires_at: timeCell(scenario.expiresAt),
  };
}

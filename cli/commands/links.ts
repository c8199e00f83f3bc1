import { InvalidArgumentError, Option, type Command } from "commander";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  LinksService,
  PaymentLinkStatus,
  type PaymentLink,
  type PaymentLinkDetails,
} from "../../gen/paylink/links/v1/links_pb.ts";
import { FeeHandling, PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { tenantClient, withNewKey } from "../core/client.ts";
import { examples } from "../output/help.ts";
import {
  bigCount,
  count,
  currencyOption,
  day,
  duration,
  feeHandlingOption,
  forTenant,
  list,
  type TenantChoice,
} from "../output/options.ts";
import { print, timeCell, type Row } from "../output/output.ts";

type CreateOptions = TenantChoice & {
  readonly amount: bigint;
  readonly currency: string;
  readonly methods?: PaymentMethod[];
  readonly maxInstallments?: number;
  readonly feeHandling?: string;
  readonly expiresIn?: number;
  readonly campaign?: boolean;
  readonly description?: string;
  readonly reference?: string;
};

type ListOptions = TenantChoice & {
  readonly status?: string;
  readonly query?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
  readonly startingAfter?: string;
};

const statuses = wordsOf(PaymentLinkStatus);
const methodWords = wordsOf(PaymentMethod);
const feeHandlings = wordsOf(FeeHandling);

export function addLinks(program: Command): void {
  const links = program
    .command("links")
    .addHelpText(
      "after",
      examples(
        'links create --tenant ten_… --mode test --amount 15990 --description "Running shoes"',
        "links create --tenant ten_… --mode test --amount 15990 --methods pix,card --max-installments 6 --reference A-17",
        "links list --tenant ten_… --mode live --status active --query A-17",
        "links get pl_… --tenant ten_… --mode live",
        "links deactivate pl_… --tenant ten_… --mode live",
      ),
    );
  forTenant(links.command("create"))
    .description("create a payment link and print where the payer pays")
    .requiredOption("--amount <n>", "amount, in the smallest unit of the currency", bigCount)
    .addOption(currencyOption())
    .option("--methods <methods>", "pix, card or pix,card (default: pix)", methods)
    .option("--max-installments <n>", "highest number of card installments, 1 to 21", count)
    .addOption(feeHandlingOption("absorb"))
    .option(
      "--expires-in <time>",
      "how long it may be paid, such as 24h (default: 24h; a campaign: it never expires)",
      duration,
    )
    .option("--campaign", "it stays open after each payment")
    .option("--description <text>", "product name that the payer sees")
    .option("--reference <text>", "the merchant's reconciliation key, such as an order's number")
    .action(async ({ tenant, mode, methods: values, ...given }: CreateOptions, command: Command) => {
      const { client, options } = await tenantClient(LinksService, { tenant, mode });
      const request = {
        ...given,
        paymentMethods: values && { values },
        feeHandling: feeHandlings.numberOf(given.feeHandling),
        expiresIn: given.expiresIn === undefined ? undefined : BigInt(given.expiresIn),
      };
      const { paymentLink } = await client.createPaymentLink(request, withNewKey(options));
      printLink(command, paymentLink);
    });
  forTenant(links.command("list"))
    .description("list payment links, newest first")
    .addOption(new Option("--status <status>", "only those with this status").choices(statuses.all))
    .option("--query <text>", "a whole id, or a part of reference, description or product reference")
    .option("--from <day>", "first day of creation, YYYY-MM-DD", day)
    .option("--to <day>", "last day of creation, YYYY-MM-DD", day)
    .option("--limit <n>", "at most so many, 1 to 100 (default 20)", count)
    .option("--starting-after <id>", "the page after this link")
    .action(async ({ tenant, mode, status, ...given }: ListOptions, command: Command) => {
      const { client, options } = await tenantClient(LinksService, { tenant, mode });
      const { data } = await client.listPaymentLinks(
        { ...given, status: statuses.numberOf(status) },
        options,
      );
      print(
        command,
        data.flatMap(({ paymentLink, details }) => (paymentLink ? [row(paymentLink, details)] : [])),
      );
    });
  forTenant(links.command("get"))
    .description("show a payment link")
    .argument("<id>", "the link's id, pl_…")
    .action(async (id: string, choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(LinksService, choice);
      const { paymentLink, details } = await client.getPaymentLink({ id }, options);
      printLink(command, paymentLink, details);
    });
  forTenant(links.command("deactivate"))
    .description("cancel an active payment link: it takes no payment from then on")
    .argument("<id>", "the link's id, pl_…")
    .action(async (id: string, choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(LinksService, choice);
      printLink(command, (await client.cancelPaymentLink({ id }, withNewKey(options))).paymentLink);
    });
}

function methods(text: string): PaymentMethod[] {
  return list(text).map((word) => {
    const method = methodWords.numberOf(word);
    if (method === undefined) throw new InvalidArgumentError("It must be pix, card or pix,card.");
    return method;
  });
}

function printLink(command: Command, link: PaymentLink | undefined, details?: PaymentLinkDetails): void {
  if (link) print(command, row(link, details));
}

function row(link: PaymentLink, details?: PaymentLinkDetails): Row {
  const { expiresAt, notPayableReason } = link;
  return {
    id: link.id,
    status: statuses.wordOf(link.status) ?? "unknown",
    amount: Number(link.amount),
    currency: link.currency,
    payment_methods: link.paymentMethods.map((method) => methodWords.wordOf(method) ?? "unknown"),
    max_installments: link.maxInstallments,
    fee_handling: feeHandlings.wordOf(link.feeHandling) ?? "unknown",
    ...(details ? { campaign: details.isCampaign ? "yes" : "no" } : {}),
    reference: link.reference ?? null,
    description: link.description ?? null,
    checkout_url: link.checkoutUrl,
    // 0: it never expires.
    expires_at: expiresAt && expiresAt.seconds > 0n ? timeCell(expiresAt) : null,
    created_at: timeCell(link.created),
    ...(notPayableReason === undefined ? {} : { not_payable_reason: notPayableReason }),
  };
}

import { InvalidArgumentError, type Command } from "commander";
import { dayAt } from "../../../contract/day.ts";
import { wordsOf } from "../../../contract/enum-words.ts";
import {
  DeclineCode,
  LedgerService,
  PaymentStatus,
  type Payment,
} from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { tenantClient } from "../../core/client.ts";
import { count, day, forTenant, type TenantChoice } from "../../output/options.ts";
import { print, timeCell, type Row } from "../../output/output.ts";

type ListOptions = TenantChoice & {
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
  readonly startingAfter?: string;
};

const DAYS = 30;

const statuses = wordsOf(PaymentStatus);
const methods = wordsOf(PaymentMethod);
const declineCodes = wordsOf(DeclineCode);

/** Adds the commands that find payments: list and get. */
export function addFoundPayments(payments: Command): void {
  forTenant(payments.command("list"))
    .description("list payments, newest first, by the days of São Paulo on which they were started")
    .option("--from <day>", `first day, YYYY-MM-DD (default: ${DAYS} days before the last one)`, day)
    .option("--to <day>", "last day, YYYY-MM-DD (default: today)", day)
    .option("--limit <n>", "at most so many, 1 to 100 (default 20)", count)
    .option("--starting-after <id>", "the page after this payment")
    .action(async ({ tenant, mode, ...given }: ListOptions, command: Command) => {
      const { client, options } = await tenantClient(LedgerService, { tenant, mode });
      const to = given.to ?? dayAt(Date.now()).toString();
      const from = given.from ?? Temporal.PlainDate.from(to).subtract({ days: DAYS }).toString();
      if (from > to) throw new InvalidArgumentError("--from must not be after --to.");
      print(command, (await client.listPayments({ ...given, from, to }, options)).data.map(row));
    });
  forTenant(payments.command("get"))
    .description("show a payment, amounts in the smallest unit")
    .argument("<id>", "the payment's id, pay_…")
    .action(async (id: string, choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(LedgerService, choice);
      const { payment } = await client.getPayment({ id }, options);
      if (payment) print(command, row(payment));
    });
}

function row(payment: Payment): Row {
  return {
    id: payment.id,
    link_id: payment.linkId ?? null,
    status: statuses.wordOf(payment.status) ?? "unknown",
    failure_code: declineCodes.wordOf(payment.failureCode) ?? null,
    reference: payment.reference ?? null,
    payment_method: methods.wordOf(payment.paymentMethod) ?? "unknown",
    installments: payment.installments ?? null,
    gross_amount: Number(payment.grossAmount),
    gross_currency: payment.grossCurrency,
    fee_amount: Number(payment.feeAmount),
    fee_currency: payment.feeCurrency,
    net_amount: Number(payment.netAmount),
    net_currency: payment.netCurrency,
    refunded_amount: Number(payment.refundedAmount ?? 0n),
    end_to_end_id: payment.endToEndId ?? null,
    created_at: timeCell(payment.createdAt),
    updated_at: timeCell(payment.updatedAt),
  };
}

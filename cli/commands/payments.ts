import type { Command } from "commander";
import { CheckoutService, type PaymentException } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { LedgerService, type Receivable } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import {
  DisputeStatus,
  RefundSchema,
  RefundsService,
  RefundStatus,
  type Dispute,
} from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { wordsOf } from "../../contract/enum-words.ts";
import { messageWriter } from "../../gateway/transcode/message-writer.ts";
import { tenantClient, withNewKey } from "../core/client.ts";
import { failureText } from "../output/failure-text.ts";
import { examples } from "../output/help.ts";
import { bigCount, forTenant, type TenantChoice } from "../output/options.ts";
import { print, timeCell, type Row } from "../output/output.ts";
import { addFoundPayments } from "./payments/found-payments.ts";

type RefundOptions = TenantChoice & { readonly amount?: bigint; readonly reason?: string };

type ListOptions = TenantChoice & { readonly open?: boolean };

const PAGE = 100;

const disputeStatuses = wordsOf(DisputeStatus);
const toJson = messageWriter(RefundSchema);

export function addPayments(program: Command): void {
  const payments = program
    .command("payments")
    .addHelpText(
      "after",
      examples(
        "payments list --tenant ten_… --mode live --from 2026-01-01 --to 2026-01-31",
        "payments get pay_… --tenant ten_… --mode live",
        "payments refund pay_… --tenant ten_… --mode live --amount 5000",
        "payments exceptions --tenant ten_… --mode live --open",
        "payments disputes --tenant ten_… --mode live --open",
        'payments refund exc_… --tenant ten_… --mode live --reason "paid twice"',
      ),
    );
  addFoundPayments(payments);
  forTenant(payments.command("exceptions"))
    .description("list money that came late, again or in the wrong amount, and belongs to no payment")
    .option("--open", "only what can still be given back")
    .action(async ({ open = false, ...choice }: ListOptions, command: Command) => {
      const { client, options } = await tenantClient(CheckoutService, choice);
      const found: PaymentException[] = [];
      for (let after: string | undefined; ;) {
        const cursor = after === undefined ? {} : { startingAfter: after };
        const page = await client.listPaymentExceptions({ limit: PAGE, isOpen: open, ...cursor }, options);
        found.push(...page.exceptions);
        if (page.nextCursor === undefined) break;
        after = page.nextCursor;
      }
      print(command, found.map(exceptionRow));
    });
  forTenant(payments.command("receivables"))
    .description("what a card provider owes for a payment, by installment, in centavos")
    .argument("<payment>", "the payment's id")
    .action(async (paymentId: string, choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(LedgerService, choice);
      const { receivables } = await client.listReceivables({ paymentId }, options);
      print(command, receivables.map(receivableRow));
    });
  forTenant(payments.command("overdue"))
    .description(
      "list card payments whose money is overdue at the provider by more than three days, at most 100",
    )
    .action(async (choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(LedgerService, choice);
      const { overdue } = await client.listOverdueReceivables({ limit: 100 }, options);
      print(
        command,
        overdue.map(({ paymentId, expectedOn }) => ({ payment: paymentId, expected_on: expectedOn })),
      );
    });
  forTenant(payments.command("disputes"))
    .description("list the contests of card holders, newest first")
    .option("--open", "only those that can still be answered with documents")
    .action(async ({ open = false, ...choice }: ListOptions, command: Command) => {
      const { client, options } = await tenantClient(RefundsService, choice);
      const found: Dispute[] = [];
      for (let after: string | undefined; ;) {
        const cursor = after === undefined ? {} : { startingAfter: after };
        const page = await client.listDisputes({ limit: PAGE, needsResponse: open, ...cursor }, options);
        found.push(...page.disputes);
        if (page.nextCursor === undefined) break;
        after = page.nextCursor;
      }
      print(command, found.map(disputeRow));
    });
  forTenant(payments.command("refund"))
    .description("give back the money of a payment, or of an exception; exit 1 if it failed")
    .argument("<id>", "the payment's id, pay_…, or the exception's, exc_…")
    .option("--amount <centavos>", "centavos of BRL (default: all that is left)", bigCount)
    .option("--reason <text>", "what the payer's bank shows")
    .action(async (id: string, { amount, reason, ...choice }: RefundOptions, command: Command) => {
      const { client, options } = await tenantClient(RefundsService, choice);
      const request = { id, amount, reason };
      const once = withNewKey(options);
      const { refund } = id.startsWith("exc_")
        ? await client.refundException(request, once)
        : await client.createRefund(request, once);
      if (!refund) throw new Error("the core did not tell the refund");
      print(command, JSON.parse(toJson(refund)) as Row);
      if (refund.status !== RefundStatus.FAILED) return;
      const failure = `the provider refused ${refund.id}: the money stays, and another refund may be made`;
      process.stderr.write(`paylink: ${failure}\n`);
      process.exitCode = 1;
    });
  forTenant(payments.command("end-refund"))
    .description("end a refund that its provider should have and has not: it is failed, and its amount free")
    .argument("<id>", "the refund's id, ref_…")
    .action(async (id: string, choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(RefundsService, choice);
      const { refund } = await client.endRefund({ id }, options);
      if (!refund) throw new Error("the core did not tell the refund");
      print(command, JSON.parse(toJson(refund)) as Row);
    });
  forTenant(payments.command("erase-payer"))
    .description(
      "erase what payers gave for these payments, at their request; payments and books stay; exit 1 when one is refused",
    )
    .argument("<payments...>", "the payments' ids, pay_…")
    .action(async (paymentIds: string[], choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(CheckoutService, choice);
      const rows: Row[] = [];
      // One that is refused leaves the payers of the others no less right to it.
      for (const paymentId of paymentIds) {
        try {
          const { erasedAt } = await client.erasePayerDetails({ paymentId }, options);
          const result = erasedAt ? "erased" : "nothing was asked for";
          rows.push({ payment: paymentId, erased_at: timeCell(erasedAt), result });
        } catch (error) {
          rows.push({ payment: paymentId, erased_at: null, result: failureText(error, command) });
          process.exitCode = 1;
        }
      }
      print(command, rows);
    });
}

function receivableRow(receivable: Receivable): Row {
  return {
    installment: receivable.installment,
    gross: Number(receivable.gross),
    provider_fee: Number(receivable.providerFee),
    anticipation_fee: Number(receivable.anticipationFee),
    chargeback: Number(receivable.chargeback),
    refund_deduction: Number(receivable.refundDeduction),
    payout: Number(receivable.payout),
    outstanding: Number(receivable.outstanding),
    currency: receivable.currency,
    expected_on: receivable.expectedOn ?? "",
    paid_out_on: receivable.paidOutOn ?? "",
  };
}

function disputeRow(dispute: Dispute): Row {
  return {
    id: dispute.id,
    payment_id: dispute.paymentId,
    installment: dispute.installment,
    amount: Number(dispute.amount),
    currency: dispute.currency,
    status: disputeStatuses.wordOf(dispute.status) ?? "unknown",
    reason: dispute.reason ?? "",
    opened_on: dispute.openedOn ?? "",
    respond_by: dispute.respondBy ?? "",
    created_at: timeCell(dispute.createdAt),
  };
}

function exceptionRow(exception: PaymentException): Row {
  return {
    id: exception.id,
    payment_id: exception.paymentId,
    link_id: exception.linkId,
    reason: exception.reason,
    amount: Number(exception.amount),
    expected_amount: Number(exception.expectedAmount),
    proposed_refund: Number(exception.proposedRefund),
    refund_amount: Number(exception.refundAmount),
    currency: "BRL",
    provider_payment_id: exception.providerPaymentId,
    received_at: timeCell(exception.receivedAt),
  };
}

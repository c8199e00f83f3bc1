import { randomUUID } from "node:crypto";
import type { Command } from "commander";
import { HEADERS } from "../../contract/headers.ts";
import { RefundSchema, RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { messageWriter } from "../../gateway/transcode/message-writer.ts";
import { tenantClient } from "../client.ts";
import { examples } from "../help.ts";
import { bigCount, forTenant, type TenantChoice } from "../options.ts";
import { print, type Row } from "../output.ts";

type RefundOptions = TenantChoice & { readonly amount?: bigint; readonly reason?: string };

const toJson = messageWriter(RefundSchema);

export function addPayments(program: Command): void {
  const payments = program
    .command("payments")
    .description("payments of a tenant")
    .addHelpText(
      "after",
      examples(
        "payments refund pay_… --tenant ten_… --mode live --amount 5000",
        'payments refund exc_… --tenant ten_… --mode live --reason "paid twice"',
      ),
    );
  forTenant(payments.command("refund"))
    .description("give back the money of a payment, or of an exception")
    .argument("<id>", "the payment's id, pay_…, or the exception's, exc_…")
    .option("--amount <centavos>", "centavos of BRL (default: all that is left)", bigCount)
    .option("--reason <text>", "what the payer's bank shows")
    .action(async (id: string, { amount, reason, ...choice }: RefundOptions, command: Command) => {
      const { client, options } = await tenantClient(RefundsService, choice);
      const headers = { ...options.headers, [HEADERS.idempotencyKey]: randomUUID() };
      const request = { id, amount, reason };
      const { refund } = id.startsWith("exc_")
        ? await client.refundException(request, { headers })
        : await client.createRefund(request, { headers });
      if (!refund) throw new Error("the core did not tell the refund");
      print(command, JSON.parse(toJson(refund)) as Row);
    });
}

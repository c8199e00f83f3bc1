import type { ServiceImpl } from "@connectrpc/connect";
import { setTimeout as passes } from "node:timers/promises";
import { PaymentCheckAnswer, type LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { isId } from "../../contract/ids.ts";
import { wordsOf, type WordOf } from "../../contract/enum-words.ts";
import { toPayment } from "../ledger/mapping.ts";
import type { PricedPayment } from "../ledger/priced-payment.ts";
import { findPricedPayment } from "../ledger/repository.ts";
import { NO_ENTRY } from "../platform/rpc/audit-trail.ts";
import type { Call, Operation } from "../platform/rpc/call.ts";
import type { Asking } from "../providers/ports.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import type { CheckoutDeps } from "./deps.ts";
import { haveException } from "./exceptions.ts";
import { paymentNotFound } from "./payments.ts";
import { findCharge } from "./repository.ts";

interface Deps extends Pick<CheckoutDeps, "operations" | "log"> {
  /** Asks the provider about a charge, and records what it says. Throws ProviderFault. */
  readonly refreshCharge: (
    call: Call,
    accountId: string | null,
    reference: string,
    asking: Asking,
  ) => Promise<unknown>;
}

type Answer = WordOf<typeof PaymentCheckAnswer>;

const answers = wordsOf(PaymentCheckAnswer);
// The caller's own request ends soon after.
const WAIT_MS = 8000;
const MESSAGES: Readonly<Record<Answer, string>> = {
  paid: "The payment is paid.",
  not_paid: "The bank or card provider has no money of this payment.",
  in_progress: "The card provider has not decided yet. Ask again later.",
  not_accepted:
    "Money came in that could not be taken as this payment: late, a second time or in a wrong amount. Give it back in the console.",
  unknown: "The bank or card provider gave no answer, so nothing new is known. Ask again in a minute.",
  not_asked: "There is no bank to ask: the payment is a bank transfer, or was simulated.",
};

/** The RPC by which a merchant asks a provider about a payment. */
export function paymentCheckRpcs({
  operations,
  log,
  refreshCharge,
}: Deps): Pick<ServiceImpl<typeof LedgerService>, "checkPayment"> {
  /** Asks a payment's provider, and stops waiting for its answer after WAIT_MS. */
  async function ask(operation: Operation, { id, method }: PricedPayment): Promise<Asked> {
    const charge = await findCharge(operation.environment, operation.tenantId, { paymentId: id });
    if (!charge || method === "ted") return "not_asked";
    const call = { ...operation, audit: NO_ENTRY };
    const asking = { signal: AbortSignal.timeout(WAIT_MS), isRepeated: true };
    const asked = refreshCharge(call, charge.accountId ?? null, charge.reference, asking).then(
      () => "answered" as const,
      (error: unknown) => {
        if (!(error instanceof ProviderFault)) throw error;
        log.error({ err: error, payment_id: id }, "a merchant's question about a payment was not answered");
        return "unknown" as const;
      },
    );
    // Some providers' clients do not end at the signal.
    return await Promise.race([asked, passes(WAIT_MS, "unknown" as const, { ref: false })]);
  }

  return {
    checkPayment: operations.write({
      decide: async ({ id }, operation) => {
        const payment = await paymentOf(operation, id);
        // What a replay answers if the process dies before the provider has answered.
        return { response: { check: checkOf(payment, "unknown") }, changes: [] };
      },
      follow: async ({ check }, operation) => {
        const before = await paymentOf(operation, check?.payment?.id ?? "");
        await operations.record(operation, { objectId: before.id });
        const asked = await ask(operation, before);
        const payment = await paymentOf(operation, before.id);
        const hasException = await haveException(operation.environment, operation.tenantId, [payment.id]);
        return { check: checkOf(payment, answerOf(payment, asked, hasException)) };
      },
    }),
  };
}

type Asked = "answered" | Extract<Answer, "unknown" | "not_asked">;

/** Returns the answer about a payment, as it is after the provider was asked. */
export function answerOf(
  { status }: Pick<PricedPayment, "status">,
  asked: Asked,
  hasException: boolean,
): Answer {
  if (status === "succeeded") return "paid";
  if (asked !== "answered") return asked;
  if (hasException) return "not_accepted";
  return status === "processing" ? "in_progress" : "not_paid";
}

async function paymentOf({ environment, tenantId }: Operation, id: string): Promise<PricedPayment> {
  const payment = isId("pay", id) ? await findPricedPayment(environment, tenantId, id) : undefined;
  if (!payment) throw paymentNotFound();
  return payment;
}

function checkOf(payment: PricedPayment, answer: Answer) {
  return { answer: answers.numbers[answer], message: MESSAGES[answer], payment: toPayment(payment) };
}

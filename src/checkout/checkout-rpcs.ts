import type { ServiceImpl } from "@connectrpc/connect";
import { defined } from "../../contract/defined.ts";
import { isId } from "../../contract/ids.ts";
import { wordsOf } from "../../contract/enum-words.ts";
import { PaymentExceptionOrder, type CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { toPaymentState } from "../ledger/mapping.ts";
import { findPayment } from "../ledger/repository.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { idAsCursor, keysetPage } from "../platform/db/keyset-page.ts";
import { dateOf, stampOf } from "../platform/time/timestamps.ts";
import type { ChargeChecks } from "./charge-checks.ts";
import type { Charges } from "./charges.ts";
import type { CheckoutDeps } from "./deps.ts";
import { countExceptions, listExceptions } from "./exceptions.ts";
import { toException, toPayerDetails } from "./mapping.ts";
import type { KeptPayer } from "./payer-details.ts";
import { payerNames } from "./payer-names.ts";
import { paymentNotFound, type Payments } from "./payments.ts";
import { askForPayer } from "./payer-questions.ts";
import { findCharge, listCharges, sessionOf } from "./repository.ts";
import type { Sessions } from "./sessions.ts";
import { decideErasure } from "./payer-erasure.ts";
import { visitRpcs } from "./visits.ts";
import { decideReceiptMail } from "./receipt-mail.ts";
import { payerOwner } from "./start-payment.ts";

// Only links and references have an owner; an id of another form has none.
const ROUTED = /^(pl_)?[0-9A-Za-z]+$/;
const EXCEPTIONS_DEFAULT = 20;
const orders = wordsOf(PaymentExceptionOrder);

interface RpcDeps extends CheckoutDeps {
  readonly sessions: Sessions;
  readonly payments: Payments;
  readonly charges: Charges;
  readonly checks: ChargeChecks;
}

interface OnLink {
  readonly linkId: string;
}

/** The RPCs of checkout sessions, of payments on the page, and of what providers report. */
export function checkoutRpcs(deps: RpcDeps): ServiceImpl<typeof CheckoutService> {
  const { operations, clock, identity, ledger, encryption, sessions, payments, charges } = deps;

  /** Returns the owner of the link or reference. */
  async function ownerOf(
    id: string,
    code: "payment_link_not_found" | "payment_not_found",
  ): Promise<{ tenantId: string; mode: Mode }> {
    const owner = ROUTED.test(id) ? await identity.ownerOf(id) : null;
    if (!owner) throw new PaylinkError(code, "There is nothing of this id.");
    return owner;
  }

  const findOwner = async ({ linkId }: OnLink) => await ownerOf(linkId, "payment_link_not_found");
  return {
    ...visitRpcs(deps, findOwner),
    getCheckout: operations.run(
      async ({ linkId, sessionId }, caller) => await sessions.view(linkId, sessionId, caller),
      findOwner,
    ),
    openSession: operations.write({
      findOwner,
      decide: async (request, caller) => await sessions.decideOpening(request, caller, caller.environment),
    }),
    startPayment: operations.run(async (request, caller) => await payments.start(request, caller), findOwner),
    refreshPayment: operations.run(async ({ linkId, sessionId }, caller) => {
      const { earlier } = await sessions.find(linkId, sessionId, caller);
      if (earlier) await askForPayer(deps, caller, earlier);
      return {};
    }, findOwner),
    simulateProvider: operations.run(async ({ linkId, sessionId, action }, caller) => {
      await payments.simulate(linkId, sessionId, action, caller);
      return {};
    }, findOwner),
    sendReceipt: operations.write({
      findOwner,
      decide: async (request, caller) => {
        const { mode, tenantId, environment } = caller;
        const { checkout } = await sessions.view(request.linkId, request.sessionId, caller);
        const paymentId = checkout.session?.payment?.id;
        const charge =
          paymentId === undefined ? null : await findCharge(environment, tenantId, { paymentId });
        return decideReceiptMail(request, deps, { mode, charge, checkout });
      },
    }),
    recordReceipt: operations.run(
      async ({ reference, providerPaymentId, amount, paidAt }, caller) => {
        const charge = await findCharge(caller.environment, caller.tenantId, { reference });
        if (!charge) throw paymentNotFound();
        const now = wholeSecond(clock);
        const given = paidAt ? dateOf(paidAt) : now;
        const receipt = { providerPaymentId, amountMinor: amount, paidAt: given < now ? given : now };
        const { payment, exceptionId } = await charges.receive(caller, charge.paymentId, receipt, true);
        const { status } = toPaymentState(payment);
        return { paymentId: payment.id, status, exceptionId: exceptionId ?? undefined };
      },
      async ({ reference }) => await ownerOf(reference, "payment_not_found"),
    ),
    listPaymentExceptions: operations.run(async (request, caller) => {
      const { limit = EXCEPTIONS_DEFAULT, startingAfter, paymentId, isOpen, isCounted } = request;
      const order = orders.wordOf(request.order);
      const { tenantId, environment } = caller;
      const { rows, hasMore, nextCursor } = await keysetPage({
        limit,
        startingAfter,
        what: "the id of an exception",
        find: idAsCursor("exc"),
        read: async (after, rowCount) =>
          await listExceptions(environment, tenantId, { paymentId, isOpen }, rowCount, after, order),
      });
      const paid = await ledger.payments(caller, [...new Set(rows.map(({ paymentId: id }) => id))]);
      const exceptions = rows.map((row) => toException(row, paid.get(row.paymentId)?.linkId ?? ""));
      const exceptionCount = isCounted
        ? await countExceptions(environment, tenantId, { paymentId, isOpen })
        : undefined;
      return { exceptions, hasMore, nextCursor, exceptionCount };
    }),
    listCheckoutSessions: operations.run(
      async (request, caller) => await sessions.page(request, caller, caller.environment),
    ),
    getPayerDetails: operations.show(async ({ paymentId }, { tenantId, environment }) => {
      const charge = isId("pay", paymentId) ? await findCharge(environment, tenantId, { paymentId }) : null;
      if (!charge) throw paymentNotFound();
      const { sealedPayer, payerErasedAt } = charge;
      const text = sealedPayer && (await encryption.decrypt(sealedPayer, payerOwner(paymentId)));
      const { bankName, ...given } = text ? (JSON.parse(text) as KeptPayer) : {};
      const payer = toPayerDetails(given);
      const erasedAt = stampOf(payerErasedAt);
      return {
        response: { payer, erasedAt, ...defined({ bankName }) },
        audit: text ? { objectId: paymentId } : null,
      };
    }),
    listPayerNames: operations.run(async ({ paymentIds }, { tenantId, environment }) => ({
      names: await payerNames(environment, encryption, tenantId, paymentIds),
    })),
    erasePayerDetails: operations.write({
      decide: async ({ paymentId }, { tenantId, environment }) => {
        const isPayment = isId("pay", paymentId);
        const charge = isPayment ? await findCharge(environment, tenantId, { paymentId }) : null;
        if (!charge) {
          // A simulated payment has no charge: its payer was asked for nothing.
          if (isPayment && (await findPayment(environment, tenantId, paymentId)))
            return { response: {}, changes: [] };
          throw paymentNotFound();
        }
        const session = await sessionOf(environment, charge);
        const ofSession = await listCharges(environment, tenantId, session.id);
        const theirs = ofSession.map((one) => one.charge);
        return decideErasure(paymentId, session, theirs, wholeSecond(clock));
      },
    }),
  };
}

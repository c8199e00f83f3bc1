import { PaymentMethod as MethodEnum } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { StartPaymentRequest } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { insertIdOwner } from "../identity/id-owner.ts";
import type { PaymentRow } from "../ledger/entities.ts";
import { paymentMessage } from "../ledger/mapping.ts";
import { payerWords } from "../ledger/payer-words.ts";
import type { Ledger } from "../ledger/service.ts";
import type { PaymentLinkRow } from "../links/entities.ts";
import { lockLink } from "../links/link-status.ts";
import type { Caller } from "../platform/rpc/caller.ts";
import { insert, update, type Change } from "../platform/write/change.ts";
import { dueAfter, secondsAfter, type Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { PaylinkError, readAll } from "../platform/rpc/errors.ts";
import { newId } from "../../contract/ids.ts";
import type { Call } from "../platform/rpc/call.ts";
import type { Encryption } from "../platform/db/encryption.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { fromMethodEnum } from "../pricing/mapping.ts";
import { methodUnsupported } from "../pricing/pricer.ts";
import { findPrice } from "../pricing/repository.ts";
import type { CardStyle } from "../providers/card-port.ts";
import type { KnownCard } from "../providers/decline.ts";
import { payerFieldsOf, type Providers } from "../providers/directory.ts";
import type { ChargeRequest } from "../providers/ports.ts";
import type { RecordEvents } from "../webhooks/event.ts";
import { Charge, CheckoutSession, type ChargeRow } from "./entities.ts";
import { askedDetails } from "./asked-details.ts";
import { cardNumber, readPayer, refuseCardNumbers, type KeptPayer, type Payer } from "./payer-details.ts";
import { holdsCardNumber } from "../../contract/card-number.ts";
import { FIRST_PREPARATION_SECONDS } from "./due-charges.ts";
import { newCharge } from "./new-charge.ts";
import { cardHashes, requireUsableCard } from "./refused-card.ts";
import type { ChargedPayment, OptionPrice, PricedSession } from "./repository.ts";

const TRANSFER_REFERENCE_CHARACTERS = 12;
// A transfer ordered on a Friday evening arrives on Monday.
const TRANSFER_SECONDS = 432_000;
/** Time from the request to a provider to the first question what became of it. */
export const FIRST_CHECK_SECONDS = 30;

export interface StartDeps {
  readonly environment: Environment;
  readonly ledger: Ledger;
  readonly encryption: Encryption;
  readonly providers: Providers;
  readonly recordEvents: RecordEvents;
  readonly clock: Clock;
  readonly now: Date;
  /** As its provider knows it, else its token alone. */
  readonly card: KnownCard;
  /** What the session's earlier attempts gave. */
  readonly given: Payer;
}

/** The payer's earlier attempt. */
export type Earlier = ChargedPayment;

/** Returns the owner text under which the payer's details are encrypted. */
export function payerOwner(paymentId: string): string {
  return `payer of ${paymentId}`;
}

/** Returns the payer's details as a charge keeps them: encrypted, with the hashes that they are found by. */
export async function sealedDetails(
  encryption: Encryption,
  { tenantId, id }: Pick<PaymentRow, "tenantId" | "id">,
  payer: KeptPayer | null,
): Promise<Pick<ChargeRow, "sealedPayer" | "payerWords">> {
  if (!payer) return { sealedPayer: null, payerWords: null };
  const name = [payer.name, payer.bankName].filter((one) => one !== undefined).join(" ");
  return {
    sealedPayer: await encryption.encrypt(JSON.stringify(payer), payerOwner(id)),
    payerWords: payerWords(encryption, tenantId, { ...payer, name }),
  };
}

/**
 * Returns the started payment that the request asks for, or undefined. Error: payment_in_progress on another method.
 */
export function underWay(earlier: Earlier | undefined, method: MethodEnum): Earlier | undefined {
  if (!earlier) return undefined;
  const { payment } = earlier;
  if (payment.status === "succeeded") return earlier;
  if (payment.status !== "pending" && payment.status !== "processing") return undefined;
  if (payment.method === fromMethodEnum(method)) return earlier;
  if (payment.status === "processing") throw inProgress();
  return undefined;
}

export function inProgress(): PaylinkError {
  return new PaylinkError("payment_in_progress", "Another payment of this link is under way.");
}

/**
 * Decides a new payment at the price that the session stored. Errors: payment_method_unsupported,
 * acknowledged_total_mismatch, payment_in_progress, invalid_request, card_number_refused, card_refused_for_good.
 */
export async function decideStart(
  request: StartPaymentRequest,
  call: Call,
  link: PaymentLinkRow,
  { session, prices }: PricedSession,
  deps: StartDeps,
): Promise<{ payment: PaymentRow; price: PriceValues; charge: ChargeRow; changes: Change[] }> {
  const { ledger, encryption, clock, now } = deps;
  const { pix, card } = deps.providers;
  const price = await chosenPrice(request, prices, call, deps);
  const style = price.method === "card" ? (card?.terms.style ?? null) : null;
  refuseCardNumbers(request.payer);
  const needed = payerFieldsOf(deps.providers, price.method);
  const { payer } = readAll<{ total: void; card: void; payer: Payer | null }>({
    total: () => requireAcknowledged(request, price),
    card: () => requireToken(request, style),
    payer: () => readPayer(askedDetails(link, needed), request.payer, deps.given),
  });
  const hashes = style === "token" ? cardHashes(encryption, link, session.id, deps.card) : [];
  await requireUsableCard(deps.environment, link, hashes);
  if (price.method === "card" && !link.isCampaign) {
    const other = await ledger.pendingPayment(call, link.id, "card");
    if (other?.payment.status === "processing") throw inProgress();
  }
  const { id: linkId, reference = null, metadata, isCampaign } = link;
  // The provider makes a code, or a page of its own, before the payer can go on.
  const isPrepared = price.method === "pix" || style === "redirect";
  const pending = ledger.startedPayment({ linkId, isSingle: !isCampaign, reference, metadata }, price, now);
  const payment = price.method === "card" ? { ...pending, status: "processing" as const } : pending;
  const charge = newCharge({
    tenantId: call.tenantId,
    paymentId: payment.id,
    sessionId: session.id,
    number: session.paymentCount + 1,
    reference: referenceOf(payment),
    accountId: (price.method === "pix" ? pix : price.method === "card" ? card : undefined)?.accountId ?? null,
    preparationCount: isPrepared ? 0 : null,
    cardStyle: style,
    cardTokenHash: hashes[0] ?? null,
    acknowledgedTotalMinor: request.acknowledgedTotal ?? null,
    ...(await sealedDetails(encryption, payment, payer)),
    createdAt: now,
    expiresAt: price.method === "ted" ? transferExpiry(link, now) : session.expiresAt,
    checkAt: dueAfter(
      clock,
      isPrepared ? FIRST_PREPARATION_SECONDS[style === null ? "pix" : "card"] : FIRST_CHECK_SECONDS,
    ),
  });
  const moved = await ledger.movePayment(call, null, payment, price, link.paymentIntentId ?? null);
  const { tenantId, id, paymentCount, paidPaymentId = null } = session;
  return {
    payment,
    price,
    charge,
    changes: [
      ...moved.changes,
      insert(Charge, charge),
      insertIdOwner(charge.reference, tenantId, call.mode),
      // A campaign's session that was paid meanwhile takes no further payment.
      update(
        CheckoutSession,
        { tenantId, id, paymentCount, paidPaymentId },
        { paymentCount: paymentCount + 1 },
      ),
      lockLink(link),
      ...recordFeesAcknowledged(call, payment, price, deps),
    ],
  };
}

/** A transfer takes days: it expires with the link, at the latest after TRANSFER_SECONDS. */
function transferExpiry({ expiresAt }: PaymentLinkRow, now: Date): Date {
  const end = secondsAfter(now, TRANSFER_SECONDS);
  return expiresAt && expiresAt < end ? expiresAt : end;
}

/** Returns the request for the provider. */
export function chargeRequest(
  { reference, expiresAt, preparationCount }: ChargeRow,
  { payerTotalMinor: amountMinor }: Pick<PriceValues, "payerTotalMinor">,
  { description }: Pick<PaymentLinkRow, "description">,
  merchantName: string,
): ChargeRequest {
  const isRepeated = (preparationCount ?? 0) > 0;
  return { reference, amountMinor, merchantName, description: description ?? null, expiresAt, isRepeated };
}

async function chosenPrice(
  request: StartPaymentRequest,
  prices: readonly OptionPrice[],
  { tenantId }: Caller,
  { environment }: StartDeps,
): Promise<PriceValues> {
  const method = fromMethodEnum(request.paymentMethod);
  const installments = request.installments ?? 1;
  const shown = prices.find((row) => row.method === method && row.installments === installments);
  if (!shown) throw methodUnsupported(method);
  return await findPrice(environment, tenantId, shown.id);
}

/** With pass_through, the payer must state the total. A stated total must be equal to this one, to the cent. */
export function requireAcknowledged({ acknowledgedTotal }: StartPaymentRequest, price: PriceValues): void {
  const isRequired = price.feeHandling === "pass_through";
  if (!isRequired && acknowledgedTotal === undefined) return;
  if (acknowledgedTotal === price.payerTotalMinor) return;
  const message = "The acknowledged total is not the locked total.";
  throw new PaylinkError("acknowledged_total_mismatch", message, "acknowledged_total");
}

function requireToken({ cardToken }: StartPaymentRequest, style: CardStyle | null): void {
  if (cardToken !== undefined && holdsCardNumber(cardToken)) throw cardNumber("card_token");
  if (style === "token" && !cardToken) {
    throw new PaylinkError("invalid_request", "card_token is required.", "card_token");
  }
}

/**
 * Returns the reference for the provider and on a transfer. It has only letters and digits, as BCB requires of a txid.
 */
export function referenceOf({ id, method }: PaymentRow): string {
  if (method !== "ted") return id.replace("_", "");
  return `TED${newId("ted").slice(-TRANSFER_REFERENCE_CHARACTERS).toUpperCase()}`;
}

function recordFeesAcknowledged(
  caller: Caller,
  payment: PaymentRow,
  price: PriceValues,
  { recordEvents }: StartDeps,
): Change[] {
  if (price.feeHandling !== "pass_through") return [];
  return recordEvents(caller, {
    type: "payment.fees_acknowledged",
    objectId: payment.id,
    reference: payment.reference ?? undefined,
    data: { payment: paymentMessage(payment, price) },
  });
}

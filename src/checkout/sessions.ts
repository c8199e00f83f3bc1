import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  Checkout,
  CheckoutPayment,
  ListCheckoutSessionsRequest,
  ListCheckoutSessionsResponseSchema,
  OpenSessionRequest,
} from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { toProfile } from "../identity/mapping.ts";
import type { TenantSettings } from "../identity/tenant-settings.ts";
import type { PaymentLinkRow } from "../links/entities.ts";
import { pricesNow, type LinkPriceDeps, type LinkPrices } from "../links/link-price.ts";
import { closedText, statusAt } from "../links/link-status.ts";
import { toPaymentLink } from "../links/mapping.ts";
import type { Caller, Mode } from "../platform/rpc/caller.ts";
import { secondsAfter, wholeSecond } from "../platform/time/clock.ts";
import { insert } from "../platform/write/change.ts";
import type { Environment } from "../platform/db/database.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { isId } from "../../contract/ids.ts";
import type { Decision } from "../platform/write/decision.ts";
import { keysetPage } from "../platform/db/keyset-page.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { toMethodEnum } from "../pricing/mapping.ts";
import { findPrice } from "../pricing/repository.ts";
import type { BankAccount, Providers } from "../providers/directory.ts";
import type { SessionsDeps } from "./deps.ts";
import { CheckoutSession, type ChargeRow } from "./entities.ts";
import {
  toCardSetup,
  toPayerFields,
  toCheckout,
  toCheckoutPayment,
  toCurrentPrices,
  toSession,
  toSessionSummary,
} from "./mapping.ts";
import { untakenSum } from "./exceptions.ts";
import {
  findOpening,
  findSession,
  listCharges,
  listOptionPrices,
  removePastSessions,
  type PricedSession,
} from "./repository.ts";
import { existingList, fingerprintOf, newList } from "./price-list.ts";
import { isOver } from "./charge-end.ts";
import { givenDetails } from "./given-details.ts";
import {
  chargeable,
  endingWith,
  isOpenAt,
  newSession,
  offeredOptions,
  paymentOptionsOf,
  pricesVersion,
} from "./session.ts";
import { payeeName } from "./payee.ts";
import { isReceiptSent } from "./receipt-mail.ts";
import { findSessionCursor, listSessionPayments, listSessions } from "./session-list.ts";
import type { Earlier } from "./start-payment.ts";

const LIMIT_DEFAULT = 20;
// For this long, a payer who returns to an old page sees that its prices have ended.
const KEPT_SECONDS = 86_400;

/** A session as it was found. */
export interface FoundSession {
  readonly link: PaymentLinkRow;
  readonly priced: PricedSession;
  readonly earlier: Earlier | undefined;
  /** Newest first. */
  readonly charges: readonly ChargeRow[];
}

/** Opens, finds and shows sessions. */
export class Sessions {
  readonly #deps: SessionsDeps;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
  }

  /**
   * Decides a new session. Errors: payment_link_closed, quote_fx_required, payment_method_unsupported, prices_changed,
   * quota_exceeded.
   */
  async decideOpening(
    { linkId, pricesVersion: seen }: OpenSessionRequest,
    caller: Caller,
    environment: Environment,
  ): Promise<Decision<{ sessionId: string }>> {
    const { links, identity, pricing, providers, clock, quotas } = this.#deps;
    const max = quotas.openSessionsPerLink;
    const now = wholeSecond(clock);
    const link = await links.find(caller, linkId);
    requireActive(link, now);
    const settings = await identity.settingsOf(caller.tenantId);
    const offered = await providers[caller.mode].offered(caller);
    const deps = { pricing, environment, caller, now };
    const { priced, prices } = await sessionPrices(link, settings, offered, deps);
    if (seen !== undefined && seen !== pricesVersion(prices)) {
      throw new PaylinkError("prices_changed", "The link's prices have changed since they were shown.");
    }
    const fingerprint = fingerprintOf(prices, priced);
    const { priceListId, isFull } = await findOpening(environment, link, fingerprint, now, max);
    if (isFull) throw fullLink(max);
    const list =
      priceListId === null
        ? newList(link, prices, priced, fingerprint, now)
        : existingList(link, priceListId);
    const session = newSession(link, list.id, now);
    return {
      response: { sessionId: session.id },
      changes: [...list.changes, insert(CheckoutSession, session)],
      audit: { objectId: priceListId === null ? list.id : session.id },
    };
  }

  /**
   * Returns a session of the link with its latest payment, or the one that succeeded. Errors:
   * payment_link_not_found, checkout_session_not_found.
   */
  async find(linkId: string, sessionId: string, caller: Caller): Promise<FoundSession> {
    const { links, environments } = this.#deps;
    const environment = environments[caller.mode];
    const { tenantId } = caller;
    const found = isId("cs", sessionId)
      ? await findSession(environment, tenantId, linkId, sessionId)
      : undefined;
    if (!found) {
      await links.find(caller, linkId);
      throw new PaylinkError("checkout_session_not_found", "There is no such checkout session.");
    }
    const { link } = found;
    const session = endingWith(found.session, link);
    const [prices, all] = await Promise.all([
      listOptionPrices(environment, session),
      listCharges(environment, tenantId, sessionId),
    ]);
    // A success is shown to the payer, even if another payment was started later.
    const earlier = all.find(({ payment }) => payment.status === "succeeded") ?? all[0];
    return { link, priced: { session, prices }, earlier, charges: all.map(({ charge }) => charge) };
  }

  /** Returns the content of the page. */
  async view(linkId: string, sessionId: string | undefined, caller: Caller): Promise<{ checkout: Checkout }> {
    const { links, clock, checkoutBase, providers, encryption } = this.#deps;
    const now = wholeSecond(clock);
    const found = sessionId === undefined ? undefined : await this.find(linkId, sessionId, caller);
    const link = found?.link ?? (await links.find(caller, linkId));
    const status = statusAt(link, now);
    const shown = toPaymentLink(caller.mode, link, status, checkoutBase);
    const offered = await providers[caller.mode].offered(caller);
    const settings = await this.#deps.identity.settingsOf(caller.tenantId);
    const profile = toProfile(settings.tenant.profile);
    const merchantName = profile.displayName || (await payeeName(this.#deps.identity, link));
    const { isDemo = false, pix, card, bankAccount } = offered;
    const isUnconnected = !pix && !card && !bankAccount;
    const cardSetup = card && toCardSetup(card.terms);
    const pixPayerFields = toPayerFields(pix?.payerFields);
    const sendsReceipts = isReceiptSent(this.#deps, caller.mode);
    const standing = { isDemo, isUnconnected, cardSetup, pixPayerFields, profile, sendsReceipts };
    if (!found) {
      const prices =
        status === "active" ? await this.#currentPrices(link, settings, offered, caller, now) : [];
      const options = prices ?? offeredOptions(link, settings, offered);
      const methods = new Set(options.map(({ method }) => method));
      shown.paymentMethods = link.paymentMethods.filter((method) => methods.has(method)).map(toMethodEnum);
      const currentPrices = prices && prices.length > 0 ? toCurrentPrices(prices) : undefined;
      return { checkout: toCheckout(shown, merchantName, now, { ...standing, currentPrices }) };
    }
    const { priced, earlier, charges } = found;
    const payment = earlier && (await this.#payment(earlier, priced, charges, caller, offered.bankAccount));
    const isOpen = isOpenAt(priced.session, status, earlier !== undefined && !isOver(earlier.payment), now);
    const given = isOpen ? await givenDetails(encryption, charges) : {};
    const used = earlier
      ? await providers[caller.mode].ofAccount(caller, earlier.charge.accountId ?? null)
      : offered;
    const session = toSession(priced, isOpen, payment, given);
    const parts = { ...standing, session, isDemo: used.isDemo ?? isDemo };
    return { checkout: toCheckout(shown, merchantName, now, parts) };
  }

  /** Returns a page of a link's sessions. Errors: payment_link_not_found, invalid_request on starting_after. */
  async page(
    { linkId, startingAfter, limit = LIMIT_DEFAULT }: ListCheckoutSessionsRequest,
    caller: Caller,
    environment: Environment,
  ): Promise<MessageInitShape<typeof ListCheckoutSessionsResponseSchema>> {
    const { links, clock } = this.#deps;
    const now = wholeSecond(clock);
    const { tenantId } = caller;
    const link = await links.find(caller, linkId);
    const status = statusAt(link, now);
    const { rows, hasMore, nextCursor } = await keysetPage({
      limit,
      startingAfter,
      what: "a session of the link",
      find: (id) => findSessionCursor(environment, tenantId, linkId, id),
      read: (after, rowCount) => listSessions(environment, tenantId, linkId, after, rowCount),
    });
    const ids = rows.map(({ id }) => id);
    const payments = ids.length === 0 ? [] : await listSessionPayments(environment, tenantId, ids);
    const underWay = new Set(payments.filter((one) => !isOver(one)).map(({ sessionId }) => sessionId));
    const data = rows.map((row) => {
      const session = endingWith(row, link);
      return toSessionSummary(session, isOpenAt(session, status, underWay.has(row.id), now), payments);
    });
    return { data, hasMore, nextCursor };
  }

  /** Removes sessions without a started payment, a day after their end. Returns the number of removed sessions. */
  async removePast(mode: Mode): Promise<number> {
    const { environments, clock } = this.#deps;
    const until = secondsAfter(wholeSecond(clock), -KEPT_SECONDS);
    return await removePastSessions(environments[mode], until);
  }

  /** Returns the prices that a session opened now locks, or undefined if a rate is missing. It locks and stores nothing. */
  async #currentPrices(
    link: PaymentLinkRow,
    settings: TenantSettings,
    offered: Providers,
    caller: Caller,
    now: Date,
  ): Promise<readonly PriceValues[] | undefined> {
    const { pricing, environments } = this.#deps;
    const shownAlone = {
      bookOf: pricing.bookOf.bind(pricing),
      nextLockId: async () => await Promise.resolve(0n),
    };
    const deps = { pricing: shownAlone, environment: environments[caller.mode], caller, now };
    try {
      return (await sessionPrices(link, settings, offered, deps)).prices;
    } catch (error) {
      if (!(error instanceof PaylinkError)) throw error;
      return error.code === "quote_fx_required" ? undefined : [];
    }
  }

  async #payment(
    { payment, charge }: Earlier,
    { prices }: PricedSession,
    charges: readonly ChargeRow[],
    caller: Caller,
    bankAccount: BankAccount | undefined,
  ): Promise<CheckoutPayment> {
    const { environments, clock } = this.#deps;
    const { tenantId, mode } = caller;
    const price = prices.find(({ id }) => id === payment.priceId) ?? (await this.priceOf(payment, caller));
    const paymentIds = charges.map(({ paymentId }) => paymentId);
    const untaken = await untakenSum(environments[mode], tenantId, paymentIds);
    return toCheckoutPayment(payment, price, charge, bankAccount, untaken, wholeSecond(clock));
  }

  async priceOf({ priceId }: { priceId: string }, { mode, tenantId }: Caller): Promise<PriceValues> {
    return await findPrice(this.#deps.environments[mode], tenantId, priceId);
  }
}

/**
 * Returns the prices of a session of the link. Errors: quote_fx_required, payment_method_unsupported,
 * merchant_net_not_positive.
 */
async function sessionPrices(
  link: PaymentLinkRow,
  settings: TenantSettings,
  offered: Providers,
  deps: LinkPriceDeps,
): Promise<{ priced: LinkPrices; prices: readonly PriceValues[] }> {
  const priced = await pricesNow(link, paymentOptionsOf(link, settings, offered), deps);
  return { priced, prices: chargeable(priced, link, offered) };
}

function fullLink(openMax: number): PaylinkError {
  const message = `The link has its limit of ${openMax} open checkout sessions: try again when some have ended.`;
  return new PaylinkError("quota_exceeded", message);
}

/** Error: payment_link_closed. */
export function requireActive(link: PaymentLinkRow, now: Date): void {
  const text = closedText(link, now);
  if (text !== undefined) throw new PaylinkError("payment_link_closed", text);
}

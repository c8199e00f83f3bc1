import { timestampFromMs, timestampMs, type Timestamp } from "@bufbuild/protobuf/wkt";
import type { CallOptions, Client } from "@connectrpc/connect";
import type { CheckoutService } from "../gen/paylink/checkout/v1/checkout_pb.ts";
import type { LedgerService, ListedSeal } from "../gen/paylink/ledger/v1/ledger_pb.ts";
import type { PricingService } from "../gen/paylink/pricing/v1/pricing_pb.ts";
import {
  ProviderAccountState,
  type ProviderAccount,
  type ProvidersService,
} from "../gen/paylink/providers/v1/providers_pb.ts";
import type {
  DaySummary,
  ReconciliationService,
} from "../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import type { RefundsService } from "../gen/paylink/refunds/v1/refunds_pb.ts";
import { WebhookEndpointStatus, type WebhooksService } from "../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { daysAnnounced } from "./certificate-notice.ts";
import { dayAt } from "./day.ts";
import { differingDays } from "./first-difference.ts";
import type { NeedKey } from "./need-messages.ts";
import type { Permission } from "./roles.ts";

/** The services that know of what needs a person. */
interface NeedsCore {
  readonly checkout: Pick<Client<typeof CheckoutService>, "listPaymentExceptions">;
  readonly ledger: Pick<Client<typeof LedgerService>, "listOpenDays" | "listOverdueReceivables">;
  readonly pricing: Pick<Client<typeof PricingService>, "getRateStanding">;
  readonly providers: Pick<Client<typeof ProvidersService>, "listUnknownMoney">;
  readonly reconciliation: Pick<Client<typeof ReconciliationService>, "listReconciledDays">;
  readonly refunds: Pick<Client<typeof RefundsService>, "listDisputes">;
  readonly webhooks: Pick<Client<typeof WebhooksService>, "listWebhookEndpoints" | "summarizeAttempts">;
}

/** Whose needs are asked for: those of a tenant's mode that a role may see. */
export interface Asking {
  readonly core: NeedsCore;
  /** Call options with tenant and mode. */
  readonly as: CallOptions;
  readonly mode: "live" | "test";
  readonly can: (permission: Permission) => boolean;
  /** The accounts at providers of the mode. */
  readonly accounts: readonly ProviderAccount[];
  /** Sealed days that may have changed since. */
  readonly seals: Iterable<ListedSeal>;
  readonly nowMs: number;
}

/** What needs a person. Its text is `NEED_MESSAGES[key]`. */
export interface Need {
  readonly key: NeedKey;
  /** The console's page for it, below its mode. */
  readonly path: string;
  /** Money or news is being lost until a person acts. */
  readonly isUrgent?: boolean;
  readonly count?: number;
  /** An endpoint that does not receive, and how many of its attempts failed. */
  readonly endpoint?: { readonly url: string; readonly failed: bigint; readonly attempts: bigint };
  readonly account?: ProviderAccount;
  readonly at?: Timestamp;
  readonly day?: string;
  /** The first day that differs in reconciliation. */
  readonly difference?: DaySummary;
  /** In order. */
  readonly days?: readonly string[];
}

const COUNTED_MAX = 100;
const DAY_MS = 86_400_000;
/** For so many days money can be given back by a request. */
const REFUND_DAYS = 90;
/** What one request takes. Two reach back further than statements are read. */
const RECONCILED_DAYS = 62;
/** A dispute whose last day is within so many days is urgent. */
const DEADLINE_DAYS = 3;

/** Returns everything that needs a person, what is urgent first. */
export async function needsOf(asking: Asking): Promise<Need[]> {
  const needs = await Promise.all([
    endpointNeeds(asking),
    providerNeeds(asking),
    rateNeeds(asking),
    cardNeeds(asking),
    exceptionNeeds(asking),
    dayNeeds(asking),
    differenceNeeds(asking),
  ]);
  const changed: Need[] = [...asking.seals]
    .filter(({ changedCount }) => changedCount > 0n)
    .map(({ seal, changedCount }) => {
      const day = seal?.day ?? "";
      return { key: "changed_day", path: `/close/${day}`, day, count: Number(changedCount) };
    });
  return [...needs.flat(), ...changed].toSorted(
    (a, b) => Number(b.isUrgent ?? false) - Number(a.isUrgent ?? false),
  );
}

/**
 * Returns what a person has to do about an active account: its certificate ends, its provider stopped to call back, takes
 * few more calls, or refuses its statements.
 */
export function accountNeeds(account: ProviderAccount, nowMs: number): Need[] {
  const { id, state, certificateExpiresAt, callbacksInterruptedAt, unreadDays, fewCallsAt } = account;
  if (state !== ProviderAccountState.ACTIVE) return [];
  const need = (key: NeedKey, what: Pick<Need, "at" | "days">): Need => {
    return { key, path: `/providers/${id}`, account, ...what, isUrgent: true };
  };
  const isEnding =
    certificateExpiresAt && daysAnnounced(timestampMs(certificateExpiresAt), nowMs) !== undefined;
  return [
    ...(isEnding ? [need("renew", { at: certificateExpiresAt })] : []),
    ...(callbacksInterruptedAt ? [need("interrupted", { at: callbacksInterruptedAt })] : []),
    ...(fewCallsAt && nowMs - timestampMs(fewCallsAt) < DAY_MS
      ? [need("few_calls", { at: fewCallsAt })]
      : []),
    ...(unreadDays.length > 0 ? [need("unread", { days: unreadDays })] : []),
  ];
}

/** Returns a need if there is a number of it. */
function counted(count: number, key: NeedKey, path: string): Need[] {
  return count === 0 ? [] : [{ key, path, count }];
}

async function endpointNeeds({ core, as, can, nowMs }: Asking): Promise<Need[]> {
  if (!can("webhooks.read")) return [];
  const [{ sums }, { endpoints }] = await Promise.all([
    core.webhooks.summarizeAttempts({ since: timestampFromMs(nowMs - DAY_MS) }, as),
    core.webhooks.listWebhookEndpoints({}, as),
  ]);
  const failing = endpoints.flatMap(({ id, url, status }): Need[] => {
    const sum = sums.find(({ endpointId }) => endpointId === id);
    if (!sum?.isFailing || status !== WebhookEndpointStatus.ENABLED) return [];
    const endpoint = { url, failed: sum.failedCount, attempts: sum.attemptCount };
    return [{ key: "failing_endpoint", path: `/webhooks/endpoints/${id}`, endpoint, isUrgent: true }];
  });
  const gone = endpoints.filter(({ disabledReason }) => disabledReason === "gone");
  return [...failing, ...counted(gone.length, "disabled_endpoints", "/webhooks")];
}

async function providerNeeds({ core, as, can, accounts, mode, nowMs }: Asking): Promise<Need[]> {
  const mayRead = can("providers.read");
  const isConnected = accounts.some(({ state }) => state === ProviderAccountState.ACTIVE);
  const unconnected: Need[] =
    mode === "live" && !isConnected
      ? [{ key: "unconnected", path: mayRead ? "/providers" : "/links", isUrgent: true }]
      : [];
  if (!mayRead || accounts.length === 0) return unconnected;
  const { money } = await core.providers.listUnknownMoney({}, as);
  return [
    ...unconnected,
    ...accounts.flatMap((account) => accountNeeds(account, nowMs)),
    ...counted(money.length, "unknown_money", "/providers/unknown"),
  ];
}

/** A rate that was never published is missed by no one: nothing is converted then. */
async function rateNeeds({ core, as }: Asking): Promise<Need[]> {
  const { source, isTooOld, held } = await core.pricing.getRateStanding({}, as);
  const path = "/quotes/new";
  return [
    ...(source !== undefined && isTooOld ? [{ key: "stale_rate", path, isUrgent: true } as const] : []),
    ...(held.length > 0 ? [{ key: "held_rate", path } as const] : []),
  ];
}

async function cardNeeds({ core, as, nowMs }: Asking): Promise<Need[]> {
  const [{ disputes }, { overdue }] = await Promise.all([
    core.refunds.listDisputes({ needsResponse: true, limit: COUNTED_MAX }, as),
    core.ledger.listOverdueReceivables({ limit: COUNTED_MAX }, as),
  ]);
  const lastDay = dayAt(nowMs).add({ days: DEADLINE_DAYS }).toString();
  const urgent = disputes.filter(({ respondBy }) => respondBy !== undefined && respondBy <= lastDay);
  const path = "/payments/disputes";
  return [
    ...counted(urgent.length, "dispute_deadlines", path).map((need) => ({ ...need, isUrgent: true })),
    ...counted(disputes.length, "disputes", path),
    ...counted(overdue.length, "overdue", "/payments/overdue"),
  ];
}

async function exceptionNeeds({ core, as, nowMs }: Asking): Promise<Need[]> {
  const { exceptions } = await core.checkout.listPaymentExceptions({ limit: COUNTED_MAX, isOpen: true }, as);
  const since = nowMs - REFUND_DAYS * DAY_MS;
  const refundable = exceptions.filter(({ receivedAt }) => receivedAt && timestampMs(receivedAt) >= since);
  return counted(refundable.length, "exceptions", "/payments/exceptions");
}

async function dayNeeds({ core, as, can }: Asking): Promise<Need[]> {
  if (!can("close.seal")) return [];
  const { dayCount, days } = await core.ledger.listOpenDays({ limit: 1 }, as);
  return counted(dayCount, "days_to_seal", `/close?month=${days[0]?.slice(0, 7) ?? ""}`);
}

async function differenceNeeds({ core, as, can, nowMs }: Asking): Promise<Need[]> {
  if (!can("reconciliation.read")) return [];
  const today = dayAt(nowMs);
  const lists = await Promise.all(
    [2, 1].map(async (count) => {
      const from = today.subtract({ days: count * RECONCILED_DAYS - 1 });
      const to = from.add({ days: RECONCILED_DAYS - 1 });
      return await core.reconciliation.listReconciledDays({ from: from.toString(), to: to.toString() }, as);
    }),
  );
  const days = differingDays(lists.flatMap((list) => list.days));
  return days.slice(0, 1).map((difference) => {
    const { day } = difference;
    return { key: "first_difference", path: `/reconciliation/days/${day}`, difference, count: days.length };
  });
}

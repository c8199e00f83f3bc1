import { LRUCache } from "lru-cache";
import { textOf } from "../../contract/json-text.ts";
import { share } from "../../contract/shared-message.ts";
import type { Payment } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { Operation } from "../platform/rpc/call.ts";
import type { Period } from "../platform/time/period.ts";
import { toPayment } from "./mapping.ts";
import {
  findVersionedPayments,
  listVersionedPayments,
  listVersions,
  type Version,
  type VersionedPayment,
} from "./repository.ts";

type Owner = Pick<Operation, "tenantId" | "mode" | "environment">;

interface Known {
  readonly version: string;
  readonly payment: Payment;
}

// After the failure of a database whose copy took over, versions may be given again.
const REMEMBERED_MS = 60_000;
// Some 2 KB each.
const OWNERS_MAX = 64;
const PAYMENTS_MAX = 128;

/**
 * Reads the first pages of payments, which merchants ask for again and again. Payments that were read lately are known
 * by the version of their rows: if all of a page are, the database is asked for versions alone. The price of a payment
 * is in no version, because its row never changes.
 */
export class FirstPages {
  readonly #owners = new LRUCache<string, Map<string, Known>>({ max: OWNERS_MAX, ttl: REMEMBERED_MS });

  /** Returns at most `limit` payments of the period, newest first. They are shared: nothing of them may change. */
  async read(owner: Owner, period: Period, limit: number): Promise<Payment[]> {
    const { environment, tenantId, mode } = owner;
    const key = `${mode} ${tenantId}`;
    const known = this.#owners.get(key);
    if (known) {
      const versions = await listVersions(environment, tenantId, period, limit);
      const unknown = versions.filter(({ id, version }) => known.get(id)?.version !== version);
      // What is known of less than half of a page saves nothing.
      if (unknown.length * 2 <= versions.length) return await pageOf(owner, known, versions, unknown);
    }
    const listed = await listVersionedPayments(environment, tenantId, period, limit);
    const remembered = known ?? new Map<string, Known>();
    // What is known is forgotten some time after the first of it was read.
    if (listed.length > 0 && !known) this.#owners.set(key, remembered);
    return listed.map((each) => remember(remembered, each));
  }
}

async function pageOf(
  { environment, tenantId }: Owner,
  known: Map<string, Known>,
  versions: readonly Version[],
  unknown: readonly Version[],
): Promise<Payment[]> {
  const page = new Map(versions.map(({ id }) => [id, known.get(id)?.payment]));
  if (unknown.length > 0) {
    const ids = unknown.map(({ id }) => id);
    const read = await findVersionedPayments(environment, tenantId, ids);
    for (const each of read) page.set(each.payment.id, remember(known, each));
  }
  // No payment is ever deleted: each that is listed is known or read.
  return [...page.values()] as Payment[];
}

/** Returns the payment, known from now on unless its metadata is long. The one that was read first is forgotten. */
function remember(known: Map<string, Known>, { payment: row, version }: VersionedPayment): Payment {
  const payment = toPayment(row);
  if (textOf(row.metadata) !== undefined) return payment;
  known.delete(row.id);
  const [first] = known.size >= PAYMENTS_MAX ? known.keys() : [];
  if (first !== undefined) known.delete(first);
  known.set(row.id, { version, payment: share(payment) });
  return payment;
}

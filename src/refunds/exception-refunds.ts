import { PaymentException } from "../checkout/entities.ts";
import { AuditEntry, type AuditRow } from "../platform/rpc/audit-entry.ts";
import { NO_ENTRY } from "../platform/rpc/audit-trail.ts";
import type { Call } from "../platform/rpc/call.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { insert, update } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { newId } from "../../contract/ids.ts";
import type { RefundsDeps } from "./deps.ts";
import { Refund } from "./entities.ts";
import { ofException } from "./new-refund.ts";
import type { DueException } from "./repository.ts";

type Deps = Pick<RefundsDeps, "clock" | "environments" | "identity" | "operations">;

/**
 * Writes the refund of an exception that is due to be given back by itself, as RefundException does for a person. Its
 * provider is asked with the other refunds. One that cannot be refunded, or whose tenant has turned this off, is left to a person.
 */
export async function refundByItself(deps: Deps, mode: Mode, due: DueException): Promise<void> {
  const { clock, environments, identity, operations } = deps;
  const { tenantId, id } = due;
  const environment = environments[mode];
  const call: Call = {
    tenantId,
    mode,
    requestId: newId("req"),
    idempotencyKey: undefined,
    audit: NO_ENTRY,
  };
  await operations.writeOnce(call, async () => {
    const exception = await environment.orm.em.fork().findOneOrFail(PaymentException, { tenantId, id });
    // Another worker or a person was first.
    if (exception.refundAt == null) return { response: null, changes: [] };
    const { exceptionRefundHours } = (await identity.settingsOf(tenantId)).tenant;
    const isWanted = exceptionRefundHours > 0 && exception.refundReservedMinor === 0n;
    const made = isWanted
      ? await ofException(deps, { tenantId, environment }, id, {}).catch(asRefused)
      : null;
    if (!made) {
      const left = update(PaymentException, { tenantId, id }, { refundAt: null });
      return { response: null, changes: [left], audit: { objectId: id } };
    }
    const { refund, changes } = made;
    const entry = entryOf(call, id, refund.id, wholeSecond(clock));
    return {
      response: null,
      changes: [insert(Refund, refund), ...changes, insert(AuditEntry, entry)],
      audit: { objectId: refund.id },
    };
  });
}

function asRefused(error: unknown): null {
  if (error instanceof PaylinkError) return null;
  throw error;
}

/** Returns the audit entry of a refund that no call asks for: the service itself is the actor. */
function entryOf(
  { tenantId, mode, requestId }: Call,
  exceptionId: string,
  refundId: string,
  createdAt: Date,
): AuditRow {
  return {
    tenantId,
    id: newId("aud"),
    createdAt,
    actorKind: "core",
    actorId: "",
    actorName: "",
    action: "RefundException",
    mode,
    objectId: refundId,
    details: { id: exceptionId, by: "exception_refund_hours" },
    address: "",
    requestId,
  };
}

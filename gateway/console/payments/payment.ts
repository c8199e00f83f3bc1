import type { Payment } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { Refused } from "../refused.ts";
import type { Visit } from "../visit.ts";

/** Returns the payment in the path. Throws Refused when the company has no such payment. */
export async function paymentOf(visit: Visit): Promise<Payment & Pick<Visit, "format">> {
  const { payment } = await visit.core.ledger.getPayment({ id: visit.part("id") }, visit.as);
  if (!payment) throw new Refused("unknown", visit);
  return { ...payment, format: visit.format };
}

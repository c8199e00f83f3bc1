import type { Encryption } from "../platform/db/encryption.ts";
import type { ChargeRow } from "./entities.ts";
import type { KeptPayer } from "./payer-details.ts";
import { payerOwner, sealedDetails } from "./start-payment.ts";

/**
 * Returns what a charge keeps once the payer's bank has given a name with the money: that, beside what the payer gave, as
 * one text that is encrypted, erased and searched together. Empty: it gave none, or the details were erased.
 */
export async function withBankName(
  encryption: Encryption,
  { tenantId, paymentId, sealedPayer, payerErasedAt }: ChargeRow,
  bankName: string | undefined,
): Promise<Partial<Pick<ChargeRow, "sealedPayer" | "payerWords">>> {
  if (bankName === undefined || payerErasedAt != null) return {};
  const text = sealedPayer == null ? "{}" : await encryption.decrypt(sealedPayer, payerOwner(paymentId));
  const given = JSON.parse(text) as KeptPayer;
  return await sealedDetails(encryption, { tenantId, id: paymentId }, { ...given, bankName });
}

import type { Encryption } from "../platform/db/encryption.ts";
import type { ChargeRow } from "./entities.ts";
import type { KeptPayer, Payer } from "./payer-details.ts";
import { payerOwner } from "./start-payment.ts";

/**
 * Returns the details that the attempts of one session gave, newest first. An older attempt adds what a newer one did not
 * need, unless the two differ in a detail: then they may be of two people.
 */
export async function givenDetails(
  encryption: Encryption,
  charges: readonly Pick<ChargeRow, "paymentId" | "sealedPayer">[],
): Promise<Payer> {
  let given: Payer = {};
  for (const { sealedPayer, paymentId } of charges) {
    if (sealedPayer == null) continue;
    const text = await encryption.decrypt(sealedPayer, payerOwner(paymentId));
    const { bankName: _, ...older } = JSON.parse(text) as KeptPayer;
    if (!agree(given, older)) break;
    given = Object.assign(older, given);
  }
  return given;
}

function agree(given: Payer, older: Payer): boolean {
  return Object.entries(older).every(([field, value]) => {
    const newer = given[field as keyof Payer];
    return newer === undefined || JSON.stringify(newer) === JSON.stringify(value);
  });
}

const RECEIPT_PREFIX = "sandbox-";
const FEE_PREFIX = "fee-";

/** Returns the sandbox's own id of a charge's money. */
export function receiptIdOf(reference: string): string {
  return `${RECEIPT_PREFIX}${reference}`;
}

/** Returns the sandbox's own id of what it took of a charge. */
export function feeIdOf(reference: string): string {
  return `${FEE_PREFIX}${reference}`;
}

/** Returns the reference of the charge whose money has an id. */
export function referenceOf(receiptId: string): string {
  return receiptId.slice(RECEIPT_PREFIX.length);
}

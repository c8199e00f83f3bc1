const RECEIPT_PREFIX = "sandbox-";

/** Returns the sandbox's own id of a charge's money. */
export function receiptIdOf(reference: string): string {
  return `${RECEIPT_PREFIX}${reference}`;
}

/** Returns the reference of the charge whose money has an id. */
export function referenceOf(receiptId: string): string {
  return receiptId.slice(RECEIPT_PREFIX.length);
}

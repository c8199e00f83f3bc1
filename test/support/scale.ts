/** Whether everything is done: where CI is set, as on every change that lands. */
export const isInFull = process.env["CI"] !== undefined;

/**
 * How often something is done to see that it always holds: in full where CI is set, as on every change that lands, and
 * a part of it in the quick form.
 */
export function times<Amount>(inFull: Amount, inPart: Amount): Amount {
  return isInFull ? inFull : inPart;
}

/**
 * How often something is done to see that it always holds: in full where CI is set, as on every change that lands, and a
 * part of it where somebody waits for the tests.
 */
export function times(inFull: number, inPart: number): number {
  return process.env["CI"] === undefined ? inPart : inFull;
}

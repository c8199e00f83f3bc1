import { REFUNDS_MAX } from "../providers/ports.ts";
import type { AnswerBounds } from "../platform/bounded-text.ts";

const KIB = 1024;

/** Of an answer about one return, token or address, and of a refusal. */
export const ONE_RESOURCE: AnswerBounds = { bytes: 64 * KIB, elements: 4000 };

// A row has some 500 bytes and 20 elements, and as many again for each of its returns.
const ROW: AnswerBounds = { bytes: 2 * KIB, elements: 64 };

/** Returns the bounds of a page of so many rows. */
export function boundsOfPage(rows: number): AnswerBounds {
  const { bytes, elements } = ONE_RESOURCE;
  return { bytes: bytes + rows * ROW.bytes, elements: elements + rows * ROW.elements };
}

/**
 * Of an answer about one charge with its returns, of half a row each: our own, those of money beside it, and those by the
 * provider's own decision, which may be as many.
 */
export const ONE_CHARGE: AnswerBounds = boundsOfPage((3 * REFUNDS_MAX) / 2);

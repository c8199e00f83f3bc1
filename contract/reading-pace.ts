/** The time for which nothing of an answer may be read. */
export const STALL_MS = 30_000;

// In bytes a second: of a slow telephone. Who reads a byte now and then would hold an answer for ever.
const LEAST_RATE = 16 * 1024;

/** Returns the longest time in which a client may read so many bytes. */
export function longestReadMs(bytes: number, stallMs = STALL_MS): number {
  return stallMs + (bytes / LEAST_RATE) * 1000;
}

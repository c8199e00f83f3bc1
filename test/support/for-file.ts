import { afterAll } from "vitest";

/** Returns what a file's tests share, once it is made, and closes it after them: what was made last, first. */
export async function forFile<Made extends { close(): Promise<void> }>(making: Promise<Made>): Promise<Made> {
  const made = await making;
  afterAll(async () => await made.close());
  return made;
}

import type { Need } from "../../contract/needs.ts";

/** What was said by e-mail and still holds, with its number: a smaller number is no news. */
export type Said = Readonly<Record<string, number>>;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns what an e-mail with these needs says. */
export function saidBy(needs: readonly Need[]): Said {
  return Object.fromEntries(needs.map((need) => [subjectOf(need), need.count ?? 1]));
}

/** Returns what was said and still holds: what comes back later is news again. */
export function stillSaid(said: Said, needs: readonly Need[]): Said {
  const now = saidBy(needs);
  const kept = Object.entries(said).filter(([subject]) => subject in now);
  return Object.fromEntries(kept.map(([subject, count]) => [subject, Math.min(count, now[subject] ?? 0)]));
}

/** Returns whether an e-mail is due, `sentAt` in Unix seconds: there is something new, or the last one is a day old and something still holds. */
export function isDigestDue(
  needs: readonly Need[],
  said: Said,
  sentAt: number | null,
  nowMs: number,
): boolean {
  if (needs.length === 0) return false;
  if (sentAt === null || nowMs - sentAt * 1000 >= DAY_MS) return true;
  return Object.entries(saidBy(needs)).some(([subject, count]) => count > (said[subject] ?? 0));
}

/** The months of open days are in the address of their page. Which day that differs is the first changes as they are explained. */
function subjectOf({ key, path, difference }: Need): string {
  if (difference) return key;
  return `${key} ${path.split("?")[0] ?? ""}`;
}

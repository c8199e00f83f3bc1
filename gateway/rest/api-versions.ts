/** A version of the public contract: the first segment of its paths. */
export interface ApiVersion {
  /** "v1". */
  readonly name: string;
  /** Set once the end of the version is announced. */
  readonly deprecation?: Deprecation;
}

/** Days as YYYY-MM-DD, in UTC. */
interface Deprecation {
  readonly deprecatedOn: string;
  /** From this day on the version may be shut down; at least 12 months after `deprecatedOn`. */
  readonly sunsetOn: string;
}

const NOTICE_MONTHS = 12;
const FIRST_STEP = /^\/([^/?]*)/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Throws Error, for the operator, when a deprecation gives less notice than the contract promises. */
export function requireNotice(versions: readonly ApiVersion[]): void {
  for (const { name, deprecation } of versions) {
    if (!deprecation) continue;
    const { deprecatedOn, sunsetOn } = deprecation;
    const earliest = midnight(deprecatedOn);
    earliest.setUTCMonth(earliest.getUTCMonth() + NOTICE_MONTHS);
    if (midnight(sunsetOn) < earliest) {
      throw new Error(
        `API ${name}: the sunset on ${sunsetOn} is less than ${NOTICE_MONTHS} months after ${deprecatedOn}.`,
      );
    }
  }
}

/**
 * Returns a function from a path to the headers of its version's deprecation: Deprecation and Sunset (RFC 8594). Returns
 * undefined if no version is deprecated.
 */
export function sunsetNotices(
  versions: readonly ApiVersion[],
): ((path: string) => Record<string, string>) | undefined {
  const notices = new Map(
    versions.flatMap(({ name, deprecation }) =>
      deprecation
        ? [[name, { deprecation: "true", sunset: midnight(deprecation.sunsetOn).toUTCString() }]]
        : [],
    ),
  );
  if (notices.size === 0) return undefined;
  return (path) => notices.get(FIRST_STEP.exec(path)?.[1] ?? "") ?? {};
}

function midnight(day: string): Date {
  const date = new Date(`${day}T00:00:00Z`);
  if (!DAY.test(day) || Number.isNaN(date.getTime()) || !date.toISOString().startsWith(day)) {
    throw new Error(`${day} is not a day as YYYY-MM-DD.`);
  }
  return date;
}

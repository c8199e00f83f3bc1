/** The loggable parts of an error. The message is not one: ORM and drivers put values into it. */
export interface LoggedError {
  readonly name: string;
  /** SQLSTATE, errno or one of our codes. */
  readonly code?: string;
  /** From a provider: what its failure means. */
  readonly kind?: string;
  /** From PostgreSQL: the part of the schema. */
  readonly severity?: string;
  readonly table?: string;
  readonly constraint?: string;
  readonly routine?: string;
  /** Where it was thrown, as file:line:column relative to the project's folder. */
  readonly stack?: readonly string[];
  readonly cause?: LoggedError;
  readonly errors?: readonly LoggedError[];
}

const WORD = /^\w{1,80}$/;
const FRAMES_MAX = 12;
const ERRORS_MAX = 5;
const DEPTH_MAX = 4;
const FRAME = /^ {4}at .*?\(?(?:file:\/\/)?((?:node:|\/)[\w./@-]{1,300}:\d{1,7}:\d{1,7})\)?$/;
const ROOT = `${import.meta.dirname.replace(/(\/[^/]*){2}$/, "")}/`;

/** Returns the names and stack frames of an error, never a text that may contain values. */
export function loggedError(error: unknown, depth = 1): LoggedError {
  if (!(error instanceof Error)) return { name: typeof error };
  const { code, kind, severity, table, constraint, routine } = error as Error & Record<string, unknown>;
  const stack = framesOf(error);
  const isDeep = depth === DEPTH_MAX;
  const errors = error instanceof AggregateError && !isDeep ? error.errors.slice(0, ERRORS_MAX) : [];
  return {
    name: wordOf(error.constructor.name) ?? "Error",
    ...words({ code, kind, severity, table, constraint, routine }),
    ...(stack.length > 0 ? { stack } : {}),
    ...(error.cause !== undefined && !isDeep ? { cause: loggedError(error.cause, depth + 1) } : {}),
    ...(errors.length > 0 ? { errors: errors.map((item) => loggedError(item, depth + 1)) } : {}),
  };
}

function words(given: Readonly<Record<string, unknown>>): Record<string, string> {
  const found = Object.entries(given).flatMap(([name, value]) => {
    const word = wordOf(value);
    return word === undefined ? [] : [[name, word] as const];
  });
  return Object.fromEntries(found);
}

function wordOf(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  return typeof value === "string" && WORD.test(value) ? value : undefined;
}

/**
 * Returns frames in files of the project, its packages and Node. A text that only looks like a frame names none of
 * them.
 */
function framesOf({ stack }: Error): string[] {
  if (typeof stack !== "string") return [];
  const frames = stack.split("\n").flatMap((line) => FRAME.exec(line)?.[1] ?? []);
  return frames
    .flatMap((frame) => {
      if (frame.startsWith("node:")) return frame;
      return frame.startsWith(ROOT) ? frame.slice(ROOT.length) : [];
    })
    .slice(0, FRAMES_MAX);
}

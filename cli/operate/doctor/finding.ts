/** The result of a check, in words for the operator. It never holds a secret. */
export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warning" | "problem";
  readonly found: string;
  /** Advice to the operator. Absent: nothing is wrong. */
  readonly advice?: string;
}

/** Returns functions that create the findings of one check. */
export function findingsOf(check: string) {
  return {
    ok: (found: string): Finding => ({ check, status: "ok", found }),
    warning: (found: string, advice: string): Finding => ({ check, status: "warning", found, advice }),
    problem: (found: string, advice: string): Finding => ({ check, status: "problem", found, advice }),
  };
}

/** Returns the first line of an error's text. */
export function lineOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.split("\n")[0] ?? "";
}

/** What a check came to, in words for the operator. It never holds a secret. */
export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warning" | "problem";
  readonly found: string;
  /** What to do; absent when all is well. */
  readonly advice?: string;
}

/** The findings of one check, by the name that they carry. */
export function findingsOf(check: string) {
  return {
    ok: (found: string): Finding => ({ check, status: "ok", found }),
    warning: (found: string, advice: string): Finding => ({ check, status: "warning", found, advice }),
    problem: (found: string, advice: string): Finding => ({ check, status: "problem", found, advice }),
  };
}

/** An error in one line. */
export function lineOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.split("\n")[0] ?? "";
}

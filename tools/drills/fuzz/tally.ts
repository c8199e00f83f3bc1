/** How requests of a part were answered. */
export type Class = "taken" | "refused" | "failed" | "closed";

/** Counts what a part asked and how it was answered. */
export class Tally {
  readonly counts: Record<Class, number> = { taken: 0, refused: 0, failed: 0, closed: 0 };

  /** By the status of HTTP. */
  status(status: number): void {
    this.add(status < 400 ? "taken" : status < 500 ? "refused" : "failed");
  }

  add(kind: Class): void {
    this.counts[kind]++;
  }

  get requests(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }
}

const KEPT_MS = 600_000;
const COUNT_MAX = 10_000;

/** The owners whose handshakes were costly a short time ago. */
export class CostlyOwners {
  readonly #untilMs = new Map<string, number>();

  note(owner: string): void {
    // The latest is last.
    this.#untilMs.delete(owner);
    this.#untilMs.set(owner, performance.now() + KEPT_MS);
    const [oldest] = this.#untilMs.keys();
    if (oldest !== undefined && this.#untilMs.size > COUNT_MAX) this.#untilMs.delete(oldest);
  }

  has(owner: string): boolean {
    const untilMs = this.#untilMs.get(owner);
    if (untilMs === undefined) return false;
    if (performance.now() < untilMs) return true;
    this.#untilMs.delete(owner);
    return false;
  }
}

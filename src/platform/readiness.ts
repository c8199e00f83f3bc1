/** Whether this process can serve: what it needs answers, and it is not about to end. */
export class Readiness {
  readonly #check: () => Promise<boolean>;
  readonly #draining = new AbortController();

  constructor(check: () => Promise<boolean>) {
    this.#check = check;
  }

  get isDraining(): boolean {
    return this.#draining.signal.aborted;
  }

  /** Aborted when the process begins to end. */
  get draining(): AbortSignal {
    return this.#draining.signal;
  }

  readonly isReady = async (): Promise<boolean> => {
    if (this.isDraining) return false;
    return await this.#check().catch(() => false);
  };

  /** From here on it is not ready, whatever it could still do. */
  startDraining(): void {
    this.#draining.abort();
  }
}

interface Waiting {
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

/** The maximum numbers that wait. */
export interface WaitingLimits {
  readonly ofOwner: number;
  readonly ofAll: number;
  /** Returns the error for one that may not wait. */
  readonly refusal: () => Error;
}

/**
 * Work that waits for its turn, by owner. Owners take turns. If no more may wait, the owner with the most gives up the last
 * place of its own to another.
 */
export class WaitingInTurns {
  readonly #limits: WaitingLimits;
  /** For each owner that has some. The owner whose turn is next comes first. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(limits: WaitingLimits) {
    this.#limits = limits;
  }

  /** Throws the refusal if the owner's work may not wait now. */
  requireRoom(owner: string): void {
    this.#ownerToYield(owner);
  }

  /** Waits until `beginNext` begins it. Throws the refusal if it may not wait, or later if it gives up its place. */
  async turn(owner: string): Promise<void> {
    const most = this.#ownerToYield(owner);
    if (most !== undefined) this.#yieldLast(most);
    const own = this.#waiting.get(owner) ?? [];
    this.#waiting.set(owner, own);
    await new Promise<void>((begin, refuse) => {
      own.push({ begin, refuse });
    });
  }

  /** Begins the first work of the first owner that may begin. Returns the owner, or undefined if there is none. */
  beginNext(mayBegin: (owner: string) => boolean = () => true): string | undefined {
    for (const [owner, own] of this.#waiting) {
      if (!mayBegin(owner)) continue;
      const next = own.shift();
      if (own.length === 0) this.#waiting.delete(owner);
      next?.begin();
      return owner;
    }
    return undefined;
  }

  /** Puts the owner's further work behind that of all others. */
  putLast(owner: string): void {
    const own = this.#waiting.get(owner);
    if (!own) return;
    this.#waiting.delete(owner);
    this.#waiting.set(owner, own);
  }

  /** Returns the owner that gives up a place for this one, or undefined if there is room. */
  #ownerToYield(owner: string): string | undefined {
    const { ofOwner, ofAll, refusal } = this.#limits;
    const ownCount = this.#waiting.get(owner)?.length ?? 0;
    if (ownCount >= ofOwner) throw refusal();
    const counts = [...this.#waiting].map(([name, { length }]) => ({ name, length }));
    if (counts.reduce((sum, { length }) => sum + length, 0) < ofAll) return undefined;
    const [most] = counts.toSorted((one, other) => other.length - one.length);
    if (!most || most.length <= ownCount + 1) throw refusal();
    return most.name;
  }

  #yieldLast(owner: string): void {
    const own = this.#waiting.get(owner);
    own?.pop()?.refuse(this.#limits.refusal());
    if (own?.length === 0) this.#waiting.delete(owner);
  }
}

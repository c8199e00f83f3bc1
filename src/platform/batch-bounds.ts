/** The most that is committed together. */
export interface BatchBounds {
  /** Insertions; 1: each goes alone. */
  readonly insertions: number;
  /** Characters of JSON. A single insertion may have more. */
  readonly characters: number;
}

export const BATCH_BOUNDS: BatchBounds = { insertions: 64, characters: 1024 * 1024 };

/** The most that is committed together. */
export interface BatchBounds {
  /** Commits; 1: each goes alone. */
  readonly commits: number;
  /** Characters of JSON. A single commit may have more. */
  readonly characters: number;
}

export const BATCH_BOUNDS: BatchBounds = { commits: 64, characters: 1024 * 1024 };

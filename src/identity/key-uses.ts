import type { Clock } from "../platform/clock.ts";
import { wholeSecond } from "../platform/clock.ts";
import type { Environment } from "../platform/database.ts";

/** A key, by its owner and its id. */
export interface UsedKey {
  readonly tenantId: string;
  readonly keyId: string;
}

export interface KeyUsesDeps {
  readonly identity: Environment;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
  /** From a key's use to its being written; absent: half a minute. */
  readonly delayMs?: number;
}

const DELAY_MS = 30_000;
const NOTED_SECONDS = 60;

/**
 * When keys were last used. A use costs a request a look into memory: it is written later, a key's at most once a minute,
 * many in one statement. What a crash loses is the last minute.
 */
export class KeyUses {
  readonly #deps: KeyUsesDeps;
  readonly #pending = new Map<string, UsedKey & { readonly usedAt: Date }>();
  // Seconds at which each key was last noted.
  readonly #noted = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: KeyUsesDeps) {
    this.#deps = deps;
  }

  note({ tenantId, keyId }: UsedKey): void {
    const seconds = Math.floor(this.#deps.clock.nowMs() / 1000);
    if (seconds - (this.#noted.get(keyId) ?? 0) < NOTED_SECONDS) return;
    this.#noted.set(keyId, seconds);
    this.#pending.set(keyId, { tenantId, keyId, usedAt: wholeSecond(this.#deps.clock) });
    this.#timer ??= setTimeout(() => void this.flush(), this.#deps.delayMs ?? DELAY_MS).unref();
  }

  /** Writes what was noted. What cannot be written is told of and left: the next use is noted again. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const uses = [...this.#pending.values()];
    this.#pending.clear();
    this.#forgetOld();
    if (uses.length === 0) return;
    await this.#write(uses).catch(this.#deps.onFault);
  }

  #forgetOld(): void {
    const oldest = this.#deps.clock.nowMs() / 1000 - NOTED_SECONDS;
    for (const [keyId, seconds] of this.#noted) if (seconds < oldest) this.#noted.delete(keyId);
  }

  async #write(uses: readonly (UsedKey & { readonly usedAt: Date })[]): Promise<void> {
    await this.#deps.identity.pool.query({
      name: "note key uses",
      text: `UPDATE api_key AS k SET last_used_at = used.at
        FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS used (tenant_id, id, at)
        WHERE k.tenant_id = used.tenant_id AND k.id = used.id AND (k.last_used_at IS NULL OR k.last_used_at < used.at)`,
      values: [
        uses.map(({ tenantId }) => tenantId),
        uses.map(({ keyId }) => keyId),
        uses.map(({ usedAt }) => usedAt),
      ],
    });
  }
}

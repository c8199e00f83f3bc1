import type { Clock } from "../platform/time/clock.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";

/** A key's owner and id. */
export interface UsedKey {
  readonly tenantId: string;
  readonly keyId: string;
}

export interface KeyUsesDeps {
  readonly identity: Environment;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
  /** Delay between a key's use and its write; absent: half a minute. */
  readonly delayMs?: number;
}

const DELAY_MS = 30_000;
const NOTED_SECONDS = 60;

/**
 * Records the latest use of keys. In a request, a use costs only a memory lookup. It is written later: at most once a
 * minute per key, many keys in one query. A crash loses the last minute.
 */
export class KeyUses {
  readonly #deps: KeyUsesDeps;
  readonly #pending = new Map<string, UsedKey & { readonly usedAt: Date }>();
  // The Unix second at which each key was last noted.
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

  /** Writes the noted uses. A failed write is reported and dropped: the next use is noted again. */
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

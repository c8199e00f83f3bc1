import type { Caller } from "../platform/rpc/caller.ts";
import { defined } from "../../contract/defined.ts";
import { allowedLookup, readOutsideUrl } from "../platform/outside/outside-address.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import type { AccountStatement } from "../providers/account-statement.ts";
import type { ProviderDirectory, Providers } from "../providers/directory.ts";
import type { ReturnList, Statement } from "../providers/ports.ts";
import type { Connection } from "../providers/registration.ts";
import { registrationOf } from "../providers/registry.ts";
import { openConfig, topicOf, type AccountsDeps } from "./deps.ts";
import type { AccountRow } from "./entities.ts";
import { findAccount, findActive, noteFewCalls } from "./repository.ts";
import {
  watchedAccountStatement,
  watchedCards,
  watchedProvider,
  watchedReturns,
  watchedStatement,
  type WatchedFault,
} from "./watched-provider.ts";

type Whose = Pick<Caller, "tenantId" | "mode">;

/** A connection whose failures are counted. A provider of PIX has its own statement. */
export type Connected = Connection & {
  /** Undefined: the provider has none that is read. */
  readonly statement?: Statement;
  readonly returnList?: ReturnList;
};

/** A connection that was made, and when it was last asked for. */
interface Kept {
  readonly revision: number;
  readonly made: Promise<Connected>;
  readonly usedMs: number;
}

const KEPT_MS = 600_000;
const FEW_NOTED_MS = 60_000;
// http is allowed only where this machine's own addresses are.
const USE = { param: "address", isHttpAllowed: true, refusal: "providers are not reached there" };

/**
 * The providers of live mode, by stored accounts. Each account has one client in a process, which is dropped after ten
 * minutes without use.
 */
export class LiveProviders implements ProviderDirectory {
  readonly #deps: AccountsDeps;
  /** By account, the longest unused first. */
  readonly #connected = new Map<string, Kept>();

  constructor(deps: AccountsDeps) {
    this.#deps = deps;
  }

  async offered(caller: Whose): Promise<Providers> {
    const pix = await this.#ofKind(caller, "pix");
    const card = await this.#ofKind(caller, "card");
    const isDemo = (pix.isDemo ?? false) || (card.isDemo ?? false);
    return { ...pix, ...card, ...(isDemo ? { isDemo } : {}) };
  }

  async ofAccount(caller: Whose, accountId: string | null): Promise<Providers> {
    if (accountId === null) return {};
    const row = await this.#cached(
      caller,
      accountId,
      async (environment, tenantId) => await findAccount(environment, tenantId, accountId),
    );
    return await this.#providers(row);
  }

  /** Returns an account's statement; undefined: its provider has none, or there is no such account. */
  async accountStatement(tenantId: string, accountId: string): Promise<AccountStatement | undefined> {
    const row = await findAccount(this.#deps.environments.live, tenantId, accountId);
    return row ? (await this.connect(row)).accountStatement : undefined;
  }

  async #ofKind(caller: Whose, kind: AccountRow["kind"]): Promise<Providers> {
    const row = await this.#cached(
      caller,
      `active ${kind}`,
      async (environment, tenantId) => await findActive(environment, tenantId, kind),
    );
    // A service that is no demo makes no charge at a demo bank, though it has its account.
    if (row?.isDemo && !this.#deps.providerPolicy.isLoopbackAllowed) return {};
    return await this.#providers(row);
  }

  /** Returns the account's connection. One with former credentials is closed when its requests have ended. */
  async connect(row: AccountRow): Promise<Connected> {
    const usedMs = this.#deps.clock.nowMs();
    this.#dropUnused(usedMs - KEPT_MS);
    const former = this.#connected.get(row.id);
    this.#connected.delete(row.id);
    if (former && former.revision >= row.revision) {
      this.#connected.set(row.id, { ...former, usedMs });
      return await former.made;
    }
    const made = this.#make(row);
    this.#connected.set(row.id, { revision: row.revision, made, usedMs });
    made.catch(() => this.#connected.delete(row.id));
    if (former) this.#close(former.made);
    return await made;
  }

  async close(): Promise<void> {
    const all = [...this.#connected.values()];
    this.#connected.clear();
    await Promise.allSettled(all.map(async ({ made }) => await (await made).close()));
  }

  /** Does not close them: one that is still in use goes on, and the sockets of the others end by themselves. */
  #dropUnused(beforeMs: number): void {
    for (const [id, { usedMs }] of this.#connected) {
      if (usedMs > beforeMs) return;
      this.#connected.delete(id);
    }
  }

  async #providers(row: AccountRow | null): Promise<Providers> {
    if (!row) return {};
    const { isDemo } = row;
    const connected = await this.connect(row);
    return connected.kind === "pix"
      ? { pix: connected.provider, isDemo }
      : { card: connected.provider, isDemo };
  }

  async #make(row: AccountRow): Promise<Connected> {
    const { clock, encryption, lookup, providerPolicy, providerLimits, onProviderFault, log } = this.#deps;
    const config = await openConfig(encryption, row);
    const guard = {
      check: (address: string) => readOutsideUrl(address, providerPolicy, USE),
      lookup: allowedLookup(lookup, providerPolicy),
    };
    const onSetAside = (count: number): void => {
      onProviderFault("wrong" satisfies WatchedFault);
      log.error({ account_id: row.id, count }, "rows of a provider's answer cannot be read");
    };
    const onClockGap = (seconds: number): void => {
      log.error({ account_id: row.id, seconds }, "a provider's charges have other times than its clock");
    };
    const registration = registrationOf(row.profile);
    const quota = registration.quotaOf?.(row.profile);
    const limits = { ...providerLimits, quota, onFewLeft: this.#fewCallsNoter(row) };
    const deps = { clock, guard, limits, onSetAside, onClockGap };
    const made = registration.connect(row, config, deps);
    const { accountStatement: lines } = made;
    const accountStatement = lines && watchedAccountStatement(lines, onProviderFault);
    if (made.kind === "pix") {
      const provider = watchedProvider(made.provider, onProviderFault);
      return { ...made, provider, statement: provider, ...defined({ accountStatement }) };
    }
    const { statement, returnList } = made;
    return {
      ...made,
      ...defined({ accountStatement }),
      provider: watchedCards(made.provider, onProviderFault),
      ...(statement && { statement: watchedStatement(statement, onProviderFault) }),
      ...(returnList && { returnList: watchedReturns(returnList, onProviderFault) }),
    };
  }

  /** Returns what notes that an account has few calls left, once a minute at most. */
  #fewCallsNoter(row: AccountRow): () => void {
    const { clock, environments, log } = this.#deps;
    let notedMs = -Infinity;
    return () => {
      const nowMs = clock.nowMs();
      if (nowMs - notedMs < FEW_NOTED_MS) return;
      notedMs = nowMs;
      noteFewCalls(environments.live, row, wholeSecond(clock)).catch((error: unknown) =>
        log.error({ err: error, account_id: row.id }, "few calls of an account were not noted"),
      );
    };
  }

  /** Does not wait: a request that is under way ends by its own time limit. */
  #close(made: Promise<Connected>): void {
    const { log } = this.#deps;
    made
      .then(async (connected) => await connected.close())
      .catch((error: unknown) => log.error({ err: error }, "a provider's connections were not closed"));
  }

  async #cached(
    { tenantId, mode }: Whose,
    name: string,
    find: (environment: AccountsDeps["environments"]["live"], tenantId: string) => Promise<AccountRow | null>,
  ): Promise<AccountRow | null> {
    const { cache, environments } = this.#deps;
    const topic = `${topicOf(tenantId)}:${mode}:${name}`;
    const found = await cache.get(topic, async () => ({ row: await find(environments[mode], tenantId) }));
    return found?.row ?? null;
  }
}

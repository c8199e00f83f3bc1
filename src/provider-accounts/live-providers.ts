import { ApiPixClient } from "../api-pix/client.ts";
import { ApiPixProvider } from "../api-pix/provider.ts";
import type { Caller } from "../platform/caller.ts";
import { allowedLookup, readOutsideUrl } from "../platform/outside-address.ts";
import type { PixProvider, ProviderDirectory, Providers } from "../providers/ports.ts";
import { apiPixAccount } from "./account-config.ts";
import { openConfig, topicOf, type AccountsDeps } from "./deps.ts";
import type { AccountRow } from "./entities.ts";
import { findAccount, findActive } from "./repository.ts";
import { watchedProvider } from "./watched-provider.ts";

type Whose = Pick<Caller, "tenantId" | "mode">;

/** The connection of one account with one revision of its credentials. */
export interface Connected {
  readonly client: ApiPixClient;
  readonly provider: PixProvider;
}

const USE = { param: "address", isHttpAllowed: false, refusal: "providers are not reached there" };

/** The providers of live mode, by stored accounts. Each account has one client in a process. */
export class LiveProviders implements ProviderDirectory {
  readonly #deps: AccountsDeps;
  readonly #connected = new Map<string, { readonly revision: number; readonly made: Promise<Connected> }>();

  constructor(deps: AccountsDeps) {
    this.#deps = deps;
  }

  async offered(caller: Whose): Promise<Providers> {
    const row = await this.#cached(caller, "active", findActive);
    // A service that is no demo makes no charge at a demo bank, though it has its account.
    if (row?.isDemo && !this.#deps.policy.isLoopbackAllowed) return {};
    return await this.#providers(row);
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

  /** Returns the account's connection. One with former credentials is closed when its requests have ended. */
  async connect(row: AccountRow): Promise<Connected> {
    const former = this.#connected.get(row.id);
    if (former && former.revision >= row.revision) return await former.made;
    const made = this.#make(row);
    this.#connected.set(row.id, { revision: row.revision, made });
    made.catch(() => this.#connected.delete(row.id));
    if (former) this.#close(former.made);
    return await made;
  }

  async close(): Promise<void> {
    const all = [...this.#connected.values()];
    this.#connected.clear();
    await Promise.allSettled(all.map(async ({ made }) => await (await made).client.close()));
  }

  async #providers(row: AccountRow | null): Promise<Providers> {
    return row ? { pix: (await this.connect(row)).provider, isDemo: row.isDemo } : {};
  }

  async #make(row: AccountRow): Promise<Connected> {
    const { clock, encryption, lookup, policy, limits, onFault } = this.#deps;
    const account = apiPixAccount(row.id, row.profile, await openConfig(encryption, row));
    const guard = {
      check: (address: string) => readOutsideUrl(address, policy, USE),
      lookup: allowedLookup(lookup, policy),
    };
    const client = new ApiPixClient(account, { clock, guard, limits });
    return { client, provider: watchedProvider(new ApiPixProvider(client, clock), onFault) };
  }

  /** Does not wait: a request that is under way ends by its own time limit. */
  #close(made: Promise<Connected>): void {
    const { log } = this.#deps;
    made
      .then(async ({ client }) => await client.close())
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

import { BADRESP, NODATA, type LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";

const TRY_MS = 2000;
const TRIES = 2;
// No receiver has as many. 4,000 of each family fit in an answer, and take a tenth of a second to be read and judged.
const ADDRESSES_MAX = 64;

/** The resolver of an owner's names that are being asked for. */
interface Asking {
  readonly resolver: Resolver;
  count: number;
}

/** Resolves names by DNS. Each owner has a resolver of its own, so that one's names can be given up without others'. */
export class Names {
  readonly #asking = new Map<string, Asking>();
  readonly #onCostly: (owner: string) => void;

  /** `onCostly` gets the owner of a name with very many addresses. */
  constructor(onCostly: (owner: string) => void) {
    this.#onCostly = onCostly;
  }

  /** Returns the addresses of a name. Throws the errors of DNS: BADRESP if there are very many. */
  async addressesOf(name: string, owner: string, servers?: readonly string[]): Promise<LookupAddress[]> {
    const asking = this.#begin(owner, servers);
    try {
      const { resolver } = asking;
      const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const found = [
        ...(v4.status === "fulfilled" ? v4.value.map((address) => ({ address, family: 4 })) : []),
        ...(v6.status === "fulfilled" ? v6.value.map((address) => ({ address, family: 6 })) : []),
      ];
      if (found.length > ADDRESSES_MAX) {
        this.#onCostly(owner);
        throw failure(BADRESP, `${name} has too many addresses`);
      }
      if (found.length > 0) return found;
      // A name that is an alias of one without an address has an empty answer, and no failure.
      throw v4.status === "rejected" ? v4.reason : failure(NODATA, `${name} has no address`);
    } finally {
      if (--asking.count === 0 && this.#asking.get(owner) === asking) this.#asking.delete(owner);
    }
  }

  /** Gives up all that is being asked for an owner. */
  fail(owner: string): void {
    this.#asking.get(owner)?.resolver.cancel();
    this.#asking.delete(owner);
  }

  #begin(owner: string, servers: readonly string[] | undefined): Asking {
    const asking = this.#asking.get(owner) ?? {
      resolver: new Resolver({ timeout: TRY_MS, tries: TRIES }),
      count: 0,
    };
    if (servers && asking.count === 0) asking.resolver.setServers(servers);
    asking.count++;
    this.#asking.set(owner, asking);
    return asking;
  }
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

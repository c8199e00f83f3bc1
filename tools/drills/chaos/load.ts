import { Client, Log, type ClientAccess } from "../acknowledged.ts";
import { Http } from "../http.ts";
import { Operations } from "../operations.ts";
import type { Random } from "../random.ts";
import type { Topology } from "./topology.ts";

const CLIENTS = 8;
const ATTEMPT_MS = 5000;
const GIVE_UP_MS = 60_000;

/** Clients that ask until they know, of all the demo's tenants. */
export class Load {
  readonly log = new Log();
  readonly #end = new AbortController();
  readonly #http: Http;
  readonly #running: Promise<unknown>;
  /** How clients reach the service with the key of each tenant. */
  readonly accesses: readonly ClientAccess[];

  constructor(topology: Topology, random: Random, name: string) {
    this.#http = new Http(() => topology.baseUrl);
    this.accesses = topology.keys.map((apiKey) => ({
      http: this.#http,
      apiKey,
      attemptTimeoutMs: ATTEMPT_MS,
      giveUpMs: GIVE_UP_MS,
    }));
    // A former release may have no refunds.
    const isRefunding = topology.former === undefined;
    this.#running = Promise.all(
      Array.from({ length: CLIENTS }, async (_, index) => {
        // A key's name has the tenant that it belongs to.
        const tenant = index % this.accesses.length;
        const operations = new Operations(`${name}-${tenant}-${index}`, random.fork(), isRefunding);
        await new Client(this.accesses[tenant] as ClientAccess, operations, this.log).run(this.#end.signal);
      }),
    );
  }

  /** The tenant's place in `accesses` that a key is of. */
  static tenantOf(key: string): number {
    return Number(key.split("-").at(-3));
  }

  /** Lets the clients come to an end with what they ask now. */
  async stop(): Promise<void> {
    this.#end.abort();
    await this.#running;
  }

  close(): void {
    this.#http.close();
  }
}

import { Code, ConnectError, type Client } from "@connectrpc/connect";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Event, WebhooksService } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import type { CoreClient } from "../../core/client.ts";

type Webhooks = CoreClient<typeof WebhooksService>;

const POLL_MS = 500;
// While the service does not answer, each wait is twice the former one.
const WAIT_MS_MAX = 10_000;
const CALL_MS_MAX = 10_000;
// An event is dated before it is committed. A look-back of this length misses none.
const LOOK_BACK_MS = 60_000;
const PAGE = 100;

/** What the service refuses now, it refuses again. */
const FINAL: ReadonlySet<Code> = new Set([
  Code.InvalidArgument,
  Code.NotFound,
  Code.PermissionDenied,
  Code.Unauthenticated,
  Code.Unimplemented,
]);

/** What a feed reports besides events. */
export interface FeedObserver {
  /** The service stopped to answer. */
  readonly lost: (error: unknown) => void;
  /** It answers again. */
  readonly found: () => void;
}

/** Polls for new events, each once, also across a time in which the service is away. */
export class EventFeed {
  readonly #client: Client<typeof WebhooksService>;
  readonly #options: Webhooks["options"] & { readonly timeoutMs: number };
  readonly #filter: { readonly type: string | undefined };
  readonly #observer: FeedObserver;
  #seen = new Set<string>();
  // By the core's clock, which dates the events.
  #newestMs = 0;

  constructor({ client, options }: Webhooks, type: string | undefined, observer: FeedObserver) {
    this.#client = client;
    this.#options = { ...options, timeoutMs: CALL_MS_MAX };
    this.#filter = { type };
    this.#observer = observer;
  }

  /** Skips the events that happened before the command started. Throws ConnectError when the service does not answer. */
  async skipPast(): Promise<void> {
    const { events } = await this.#client.listEvents({ ...this.#filter, limit: 1 }, this.#options);
    this.#newestMs = newestMs(events);
    await this.#unseen();
  }

  /** Yields new events, oldest first. Throws ConnectError only for what the service refuses. */
  async *events(): AsyncGenerator<Event> {
    for (let failures = 0; ;) {
      let fresh: Event[] = [];
      try {
        fresh = await this.#unseen();
        if (failures > 0) this.#observer.found();
        failures = 0;
      } catch (error) {
        if (isFinal(error)) throw error;
        if (failures === 0) this.#observer.lost(error);
        failures += 1;
      }
      yield* fresh;
      await waited(Math.min(POLL_MS * 2 ** failures, WAIT_MS_MAX));
    }
  }

  /** Returns the new events, oldest first. What it remembers changes when all pages are read, and not before. */
  async #unseen(): Promise<Event[]> {
    const since = timestampFromMs(Math.max(0, this.#newestMs - LOOK_BACK_MS));
    const found: Event[] = [];
    let hasMore = true;
    while (hasMore) {
      const startingAfter = found.at(-1)?.id;
      const request = { ...this.#filter, since, limit: PAGE, startingAfter };
      const page = await this.#client.listEvents(request, this.#options);
      found.push(...page.events);
      hasMore = page.hasMore;
    }
    const fresh = found.filter(({ id }) => !this.#seen.has(id));
    this.#seen = new Set(found.map(({ id }) => id));
    this.#newestMs = Math.max(this.#newestMs, newestMs(found));
    return fresh.toReversed();
  }
}

function isFinal(error: unknown): boolean {
  return !(error instanceof ConnectError) || FINAL.has(error.code);
}

function newestMs(events: readonly Event[]): number {
  return Math.max(0, ...events.map(({ created }) => (created ? timestampMs(created) : 0)));
}

async function waited(ms: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

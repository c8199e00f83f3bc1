import { Code, ConnectError, type Client } from "@connectrpc/connect";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Event, WebhooksService } from "../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { newSecret, signatureHeaders } from "../src/webhooks/signature.ts";
import type { CoreClient } from "./client.ts";
import { bodyText } from "./commands/events.ts";
import { jsonText, plain, timeText } from "./output.ts";

type Webhooks = CoreClient<typeof WebhooksService>;

interface Listening {
  /** Absent: events are only printed. */
  readonly forwardTo: string | undefined;
  /** Absent: events of every type. */
  readonly type: string | undefined;
  /** True: one JSON document a line. */
  readonly isJson: boolean;
}

const POLL_MS = 500;
// An event is dated before it is committed. A look-back of this length misses none.
const LOOK_BACK_MS = 60_000;
const PAGE = 100;
const TIMEOUT_MS = 15_000;

/** Prints new events as they happen, and posts them to a receiver. Does not end. */
export async function listen(webhooks: Webhooks, { forwardTo, type, isJson }: Listening): Promise<void> {
  const secret = newSecret();
  const listener = new Listener(webhooks, type);
  await listener.skipPast();
  if (forwardTo !== undefined) process.stderr.write(`Signing with ${secret}\n`);
  process.stderr.write("Listening. Ctrl-C ends it.\n");
  for await (const event of listener.events()) {
    const isForwarded = forwardTo !== undefined && !event.isInternal;
    const answer = isForwarded ? await forward(event, forwardTo, secret) : null;
    process.stdout.write(isJson ? jsonLine(event, answer) : textLine(event, answer));
  }
}

/** Polls for new events. */
class Listener {
  readonly #client: Client<typeof WebhooksService>;
  readonly #options: Webhooks["options"];
  readonly #filter: { readonly type: string | undefined };
  #seen = new Set<string>();
  // By the core's clock, which dates the events.
  #newestMs = 0;

  constructor({ client, options }: Webhooks, type: string | undefined) {
    this.#client = client;
    this.#options = options;
    this.#filter = { type };
  }

  /** Skips the events that happened before the command started. */
  async skipPast(): Promise<void> {
    const { events } = await this.#client.listEvents({ ...this.#filter, limit: 1 }, this.#options);
    this.#newestMs = newestMs(events);
    await this.#unseen();
  }

  async *events(): AsyncGenerator<Event> {
    for (;;) {
      yield* await this.#unseen().catch(noneYet);
      await new Promise((resolve) => {
        setTimeout(resolve, POLL_MS);
      });
    }
  }

  /** Returns the new events, oldest first. */
  async #unseen(): Promise<Event[]> {
    const since = timestampFromMs(Math.max(0, this.#newestMs - LOOK_BACK_MS));
    const found: Event[] = [];
    let hasMore = true;
    while (hasMore) {
      const startingAfter = found.at(-1)?.id;
      const request = {
        ...this.#filter,
        since,
        limit: PAGE,
        startingAfter,
      };
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

function newestMs(events: readonly Event[]): number {
  return Math.max(0, ...events.map(({ created }) => (created ? timestampMs(created) : 0)));
}

/** Returns no events when the core is unavailable for a moment. Throws any other error. */
function noneYet(error: unknown): Event[] {
  if (!(error instanceof ConnectError) || error.code !== Code.Unavailable) throw error;
  return [];
}

/** Posts the event as a delivery does. Returns the status, or the error's text. */
async function forward(event: Event, url: string, secret: string): Promise<string> {
  const body = Buffer.from(event.body);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...signatureHeaders(event.id, body, [secret], new Date()),
      },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return cause instanceof Error ? cause.message : String(cause);
  }
}

function jsonLine(event: Event, answer: string | null): string {
  return `${jsonText(JSON.stringify({ ...JSON.parse(bodyText(event)), forwarded: answer }))}\n`;
}

function textLine({ id, type, objectId, created }: Event, answer: string | null): string {
  const words = [timeText(created) ?? "", type, objectId, id, ...(answer === null ? [] : [`-> ${answer}`])];
  return `${words.map(plain).join("  ")}\n`;
}

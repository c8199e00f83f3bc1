import { ConnectError } from "@connectrpc/connect";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Event, WebhooksService } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { signatureHeaders } from "../../../src/webhooks/signature.ts";
import type { CoreClient } from "../../core/client.ts";
import { toned } from "../../output/colours.ts";
import { bodyText } from "../events.ts";
import { EventFeed } from "./event-feed.ts";
import { jsonText, localTime, plain } from "../../output/output.ts";

interface Receiver {
  readonly url: string;
  readonly secret: string;
}

interface Listening {
  /** Where events are posted to. Absent: they are only printed. */
  readonly forwardTo: string | undefined;
  /** Returns the secret that signs what is posted. */
  readonly secret: () => Promise<string>;
  /** Absent: events of every type. */
  readonly type: string | undefined;
  /** True: one JSON document a line. */
  readonly isJson: boolean;
}

const TIMEOUT_MS = 15_000;

/** Prints new events as they happen, and posts them to a receiver. Ends when the reader of its output has. */
export async function listen(
  webhooks: CoreClient<typeof WebhooksService>,
  { forwardTo, secret, type, isJson }: Listening,
): Promise<void> {
  process.stdout.once("error", () => process.exit());
  const feed = new EventFeed(webhooks, type, {
    lost: (error) => notify(`The service does not answer (${reasonOf(error)}). Trying again until it does.`),
    found: () => notify("The service answers again."),
  });
  await feed.skipPast();
  const receiver = forwardTo === undefined ? undefined : { url: forwardTo, secret: await secret() };
  if (receiver) notify(`Forwarding to ${receiver.url}, signed with ${receiver.secret}`);
  notify("Listening. Ctrl-C ends it.");
  for await (const event of feed.events()) {
    const answer = receiver && !event.isInternal ? await forward(event, receiver) : null;
    process.stdout.write(isJson ? jsonLine(event, answer) : textLine(event, answer));
  }
}

function notify(line: string): void {
  process.stderr.write(`${line}\n`);
}

function reasonOf(error: unknown): string {
  return plain(error instanceof ConnectError ? error.rawMessage : String(error));
}

/** Posts the event as a delivery does. Returns the status, or the error's text. */
async function forward(event: Event, { url, secret }: Receiver): Promise<string> {
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
  const time = created ? localTime(timestampDate(created)) : "-";
  const sent = answer === null ? [] : [`-> ${plain(answer)}`];
  const words = [time, toned(plain(type), type), plain(objectId), plain(id), ...sent];
  return `${words.join("  ")}\n`;
}

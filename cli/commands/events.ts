import { InvalidArgumentError, type Command } from "commander";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { WebhooksService, type Event } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { tenantClient } from "../core/client.ts";
import { examples } from "../output/help.ts";
import { count, forTenant, time, type TenantChoice } from "../output/options.ts";
import { jsonText, print, timeCell, type Row } from "../output/output.ts";
import { deliveryRow } from "./deliveries.ts";

type ListOptions = TenantChoice & {
  readonly type?: string;
  readonly object?: string;
  readonly since?: Timestamp;
  readonly limit?: number;
  readonly startingAfter?: string;
};
type ResendOptions = TenantChoice & { readonly endpoint?: string; readonly failedSince?: Timestamp };

export function addEvents(program: Command): void {
  const events = program
    .command("events")
    .addHelpText(
      "after",
      examples(
        "events list --tenant ten_… --mode test --type payment.failed --since 2026-01-31",
        "events resend evt_… --tenant ten_… --mode test",
        "events resend --tenant ten_… --mode test --endpoint we_… --failed-since 2026-01-31T10:00:00-03:00",
      ),
    );
  forTenant(events.command("list"))
    .description("list events, newest first")
    .option("--type <type>", "only this type")
    .option("--object <id>", "only of this payment, or of this link and its payments")
    .option("--since <time>", "only from this time on, ISO 8601", time)
    .option("--limit <n>", "at most so many, 1 to 100 (default 20)", count)
    .option("--starting-after <id>", "the page after this event")
    .action(
      async ({ type, object, since, limit, startingAfter, ...choice }: ListOptions, command: Command) => {
        const { client, options } = await tenantClient(WebhooksService, choice);
        const request = {
          type,
          objectId: object,
          since,
          limit,
          startingAfter,
        };
        print(command, (await client.listEvents(request, options)).events.map(eventRow));
      },
    );
  forTenant(events.command("show"))
    .description("print the body of an event, as it is sent, with control characters escaped")
    .argument("<id>", "the event's id")
    .action(async (id: string, choice: TenantChoice) => {
      const { client, options } = await tenantClient(WebhooksService, choice);
      const { event } = await client.getEvent({ id }, options);
      process.stdout.write(`${jsonText(bodyText(event))}\n`);
    });
  forTenant(events.command("resend"))
    .description("send one event again, or all that an endpoint missed since a time")
    .argument("[id]", "the event's id")
    .option("--endpoint <id>", "to this endpoint (default all enabled ones that subscribe to its type)")
    .option("--failed-since <time>", "instead of one event: what failed or was missed since, ISO 8601", time)
    .action(
      async (
        id: string | undefined,
        { endpoint, failedSince: since, ...choice }: ResendOptions,
        command: Command,
      ) => {
        const { client, options } = await tenantClient(WebhooksService, choice);
        if (id !== undefined && since === undefined) {
          const request = { id, endpointId: endpoint };
          print(command, (await client.resendEvent(request, options)).deliveries.map(deliveryRow));
          return;
        }
        if (id !== undefined || since === undefined || endpoint === undefined) {
          throw new InvalidArgumentError("give either an event's id, or --endpoint and --failed-since.");
        }
        const { eventCount } = await client.resendFailedEvents({ endpointId: endpoint, since }, options);
        print(command, { events: eventCount });
      },
    );
}

/** Returns an event's body as text. */
export function bodyText(event: Event | undefined): string {
  return new TextDecoder().decode(event?.body);
}

function eventRow({ id, type, objectId, reference, created }: Event): Row {
  return { id, type, object: objectId, reference: reference ?? null, created: timeCell(created) };
}

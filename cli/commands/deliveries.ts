import { Option, type Command } from "commander";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  DeliveryStatus,
  WebhooksService,
  type Delivery,
  type DeliveryAttempt,
} from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { tenantClient } from "../core/client.ts";
import { examples } from "../output/help.ts";
import { count, forTenant, type TenantChoice } from "../output/options.ts";
import { print, timeCell, type Row } from "../output/output.ts";

type ListOptions = TenantChoice & {
  readonly event?: string;
  readonly endpoint?: string;
  readonly status?: string;
  readonly limit?: number;
  readonly startingAfter?: string;
};

const statuses = wordsOf(DeliveryStatus);

export function addDeliveries(program: Command): void {
  const deliveries = program
    .command("deliveries")
    .addHelpText(
      "after",
      examples(
        "deliveries list --tenant ten_… --mode test --status failed",
        "deliveries attempts dlv_… --tenant ten_… --mode test",
      ),
    );
  forTenant(deliveries.command("list"))
    .description("list deliveries, newest first")
    .option("--event <id>", "only of this event")
    .option("--endpoint <id>", "only to this endpoint")
    .addOption(new Option("--status <status>", "only those with this status").choices(statuses.all))
    .option("--limit <n>", "at most so many, 1 to 100 (default 20)", count)
    .option("--starting-after <id>", "the page after this delivery")
    .action(async (given: ListOptions, command: Command) => {
      const { event, endpoint, status, limit, startingAfter, ...choice } = given;
      const { client, options } = await tenantClient(WebhooksService, choice);
      const request = {
        eventId: event,
        endpointId: endpoint,
        status: statuses.numberOf(status),
        limit,
        startingAfter,
      };
      print(command, (await client.listDeliveries(request, options)).deliveries.map(deliveryRow));
    });
  forTenant(deliveries.command("attempts"))
    .description("list the attempts of a delivery, oldest first")
    .argument("<id>", "the delivery's id")
    .action(async (deliveryId: string, choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(WebhooksService, choice);
      print(command, (await client.listDeliveryAttempts({ deliveryId }, options)).attempts.map(attemptRow));
    });
}

export function deliveryRow(delivery: Delivery): Row {
  const { id, eventId, eventType, endpointId, status, attemptCount, nextAttemptAt } = delivery;
  const word = statuses.wordOf(status) ?? "";
  return {
    id,
    event: eventId,
    type: eventType,
    endpoint: endpointId,
    status: word,
    attempts: attemptCount,
    last_status_code: delivery.lastStatusCode ?? null,
    last_error: delivery.lastError ?? null,
    next_attempt_at: timeCell(nextAttemptAt),
  };
}

function attemptRow({ number, startedAt, latencyMs, statusCode, error, responseBody }: DeliveryAttempt): Row {
  return {
    number,
    started_at: timeCell(startedAt),
    latency_ms: latencyMs,
    status_code: statusCode ?? null,
    error: error ?? null,
    response_body: responseBody,
  };
}

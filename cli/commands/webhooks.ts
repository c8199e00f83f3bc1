import type { Command } from "commander";
import { defined } from "../../contract/defined.ts";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  WebhookEndpointStatus,
  WebhooksService,
  type WebhookEndpoint,
} from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { tenantClient } from "../core/client.ts";
import { examples } from "../output/help.ts";
import { forTenant, list, type TenantChoice } from "../output/options.ts";
import { print, timeCell, type Row } from "../output/output.ts";

const statuses = wordsOf(WebhookEndpointStatus);

interface Given {
  readonly events?: string[];
  readonly description?: string;
}
type CreateOptions = TenantChoice & Given & { readonly url: string };
type UpdateOptions = TenantChoice & Given & { readonly url?: string };

export function addWebhooks(program: Command): void {
  const webhooks = program
    .command("webhooks")
    .addHelpText(
      "after",
      examples(
        "webhooks create --tenant ten_… --mode live --url https://shop.example.com/hook",
        "webhooks rotate we_… --tenant ten_… --mode live",
      ),
    );
  forTenant(webhooks.command("create"))
    .description("create an endpoint; its secret is shown only now")
    .requiredOption("--url <url>", "where events are posted to")
    .option(
      "--events <types>",
      "event types, or kinds as payment.*, link.* and refund.*, separated by commas (default all)",
      list,
    )
    .option("--description <text>", "what it is for")
    .action(async ({ url, events: values = [], description, ...choice }: CreateOptions, command: Command) => {
      const { client, options } = await tenantClient(WebhooksService, choice);
      const request = { url, eventTypes: { values }, ...defined({ description }) };
      const made = await client.createWebhookEndpoint(request, options);
      print(command, { id: made.endpoint?.id ?? "", secret: made.secret });
    });
  forTenant(webhooks.command("list"))
    .description("list a tenant's endpoints")
    .action(async (choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(WebhooksService, choice);
      print(command, (await client.listWebhookEndpoints({}, options)).endpoints.map(row));
    });
  forTenant(webhooks.command("update"))
    .description("change an endpoint's address, event types or description")
    .argument("<id>", "the endpoint's id")
    .option("--url <url>", "its new address")
    .option("--events <types>", "the types that it receives; empty for all", list)
    .option("--description <text>", "what it is for; empty for none")
    .action(async (id: string, { url, events, description, ...choice }: UpdateOptions, command: Command) => {
      const { client, options } = await tenantClient(WebhooksService, choice);
      const request = {
        id,
        url,
        eventTypes: events && { values: events.filter((type) => type !== "") },
        ...defined({ description }),
      };
      printEndpoint(command, (await client.updateWebhookEndpoint(request, options)).endpoint);
    });
  forTenant(webhooks.command("disable"))
    .description("disable an endpoint: nothing more is sent to it")
    .argument("<id>", "the endpoint's id")
    .action(async (id: string, choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(WebhooksService, choice);
      printEndpoint(command, (await client.disableWebhookEndpoint({ id }, options)).endpoint);
    });
  forTenant(webhooks.command("enable"))
    .description("enable a disabled endpoint; see `events resend` for what it missed")
    .argument("<id>", "the endpoint's id")
    .action(async (id: string, choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(WebhooksService, choice);
      printEndpoint(command, (await client.enableWebhookEndpoint({ id }, options)).endpoint);
    });
  forTenant(webhooks.command("rotate"))
    .description("give an endpoint a new secret; both sign for 24 hours, the new one is shown only now")
    .argument("<id>", "the endpoint's id")
    .action(async (id: string, choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(WebhooksService, choice);
      const { endpoint, secret } = await client.rotateWebhookSecret({ id }, options);
      print(command, {
        id,
        secret,
        previous_secret_expires_at: timeCell(endpoint?.previousSecretExpiresAt),
      });
    });
  forTenant(webhooks.command("test"))
    .description("send an endpoint a test event, and no other")
    .argument("<id>", "the endpoint's id")
    .action(async (id: string, choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(WebhooksService, choice);
      const { delivery } = await client.sendTestEvent({ endpointId: id }, options);
      print(command, { event: delivery?.eventId ?? "", delivery: delivery?.id ?? "" });
    });
  forTenant(webhooks.command("delete"))
    .description("delete an endpoint for good; the log of its deliveries stays")
    .argument("<id>", "the endpoint's id")
    .action(async (id: string, choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(WebhooksService, choice);
      await client.deleteWebhookEndpoint({ id }, options);
      print(command, { id, deleted: "yes" });
    });
}

function printEndpoint(command: Command, endpoint: WebhookEndpoint | undefined): void {
  if (endpoint) print(command, row(endpoint));
}

function row(endpoint: WebhookEndpoint): Row {
  const { id, url, eventTypes, status, disabledReason, previousSecretExpiresAt, createdAt } = endpoint;
  return {
    id,
    url,
    events: eventTypes.length > 0 ? eventTypes : ["all"],
    status: statuses.wordOf(status) ?? "unknown",
    disabled_reason: disabledReason ?? null,
    previous_secret_expires_at: timeCell(previousSecretExpiresAt),
    created_at: timeCell(createdAt),
    description: endpoint.description ?? null,
  };
}

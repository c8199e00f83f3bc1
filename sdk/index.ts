export { createPaylink, type Paylink, type PaylinkOptions } from "./client.ts";
export type { Answer, CallOptions, Input, Item, ListId, OperationId } from "./types.ts";
export { ConnectionError, PaylinkError } from "./errors.ts";
export { verifyWebhook, type WebhookEvent } from "./webhooks.ts";
export { WebhookVerificationError } from "standardwebhooks";
export type { components } from "../gen/sdk/api.ts";

import type { LightMyRequestResponse } from "fastify";
import { expect } from "vitest";
import { DeliveryStatus } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { ConsoleClient, createUser, type TestUser } from "../support/console.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startReceiver, type Receiver } from "../support/receiver.ts";
import { startService, type TestService } from "../support/service.ts";
import { forFile } from "../support/for-file.ts";

export const PAGE = "/console/test/webhooks";
export const PATIENCE = { timeout: 15_000 };

/** A developer who is signed in at the console's webhook pages, with a receiver and a worker that delivers to it. */
export class WebhookPages {
  readonly service: TestService;
  readonly merchant: Merchant;
  readonly receiver: Receiver;
  readonly user: TestUser;
  readonly by: ConsoleClient;
  readonly #worker: { stop(): Promise<void> };
  #count = 0;

  private constructor(service: TestService, merchant: Merchant, receiver: Receiver, user: TestUser) {
    this.service = service;
    this.merchant = merchant;
    this.receiver = receiver;
    this.user = user;
    this.by = new ConsoleClient(service, user);
    this.#worker = service.core.startWorker();
  }

  /** Starts what a file's tests share, and closes it after them. */
  static async forFile(): Promise<WebhookPages> {
    return await forFile(WebhookPages.#start());
  }

  static async #start(): Promise<WebhookPages> {
    const service = await startService("direct", { delivery: { schedule: [0], timeoutMs: 1500 } });
    const merchant = await createMerchant(service);
    const user = await createUser(service, merchant.tenant.id, "developer");
    return new WebhookPages(service, merchant, await startReceiver(), user);
  }

  /** An endpoint made on its page, and the secret that was shown. */
  async newEndpoint(types: string[] = []) {
    this.#count += 1;
    const url = new URL(`/hook-${this.#count}?a=1&b=2`, this.receiver.url).href;
    const { statusCode, body } = await this.by.post(`${PAGE}/new`, `${PAGE}/new`, {
      url,
      event_types: types,
      password: this.user.password,
    });
    const id = /webhooks\/endpoints\/(we_\w{26})/.exec(body)?.[1] ?? "";
    return { statusCode, url, id, secret: secretOn(body), page: `${PAGE}/endpoints/${id}` };
  }

  async endpoint(id: string) {
    const { endpoints } = await this.merchant.webhooks.listWebhookEndpoints({}, this.merchant.as);
    return endpoints.find((one) => one.id === id);
  }

  /** Sends a test event on the endpoint's page, and answers its delivery when it came to an end. */
  async tested(page: string) {
    const id = deliveryLedTo(await this.by.post(page, `${page}/test`));
    await this.ended(id, 1);
    return { id, page: `${PAGE}/deliveries/${id}` };
  }

  async ended(id: string, attemptCount: number): Promise<void> {
    await untilEnded(this.merchant, id, attemptCount);
  }

  async close(): Promise<void> {
    await this.#worker.stop();
    await this.receiver.close();
    await this.service.close();
  }
}

/** The secret that a page shows, or "" if it shows none. */
export function secretOn(body: string): string {
  return /value="(whsec_[^"]+)"/.exec(body)?.[1] ?? "";
}

function deliveryLedTo({ statusCode, headers }: LightMyRequestResponse): string {
  const id = /deliveries\/(dlv_\w{26})$/.exec(String(headers.location))?.[1] ?? "";
  expect([statusCode, headers.location]).toEqual([303, `${PAGE}/deliveries/${id}`]);
  return id;
}

async function untilEnded({ webhooks, as }: Merchant, id: string, attemptCount: number): Promise<void> {
  const read = async () => (await webhooks.getDelivery({ id }, as)).delivery;
  await expect.poll(async () => (await read())?.attemptCount, PATIENCE).toBe(attemptCount);
  expect((await read())?.status).not.toBe(DeliveryStatus.PENDING);
}

import { setTimeout as wait } from "node:timers/promises";
import type { Merchant } from "../../test/support/merchant.ts";
import { startReceiver } from "../../test/support/receiver.ts";
import type { TestService } from "../../test/support/service.ts";
import { DeliveryStatus } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";

const PATIENCE_MS = 30_000;
const POLL_MS = 100;
const PATH =
  "/integracoes/paylink/eventos-de-pagamento?filial=santana-de-parnaiba&deposito=central-de-distribuicao";

/** Endpoints, one of which fails, and the deliveries to them. */
export interface Deliveries {
  readonly endpoints: Readonly<Record<"well" | "failing", string>>;
  /** Waits until all deliveries have been tried. Throws Error where some were not within half a minute. */
  ended(): Promise<void>;
  /** A delivery of each kind, once they have ended. */
  readonly examples: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Makes the endpoints, and starts to deliver. */
export async function deliveries(service: TestService, { webhooks, as }: Merchant): Promise<Deliveries> {
  const receiver = await startReceiver();
  receiver.answer(({ path }, response) => {
    if (path.startsWith("/hook")) return void response.writeHead(200).end("ok");
    const text = "O banco de dados da loja não respondeu a tempo. ".repeat(8);
    return void response.writeHead(503, { "content-type": "text/plain; charset=utf-8" }).end(text);
  });
  const endpointAt = async (path: string): Promise<string> => {
    const url = new URL(path, receiver.url).href;
    const { endpoint } = await webhooks.createWebhookEndpoint({ url }, as);
    return endpoint?.id ?? "";
  };
  const endpoints = { well: await endpointAt("/hook"), failing: await endpointAt(PATH) };
  const worker = service.core.startWorker();
  const countOf = async (status: DeliveryStatus): Promise<number> =>
    (await webhooks.listDeliveries({ status, limit: 1 }, as)).deliveries.length;
  const examples: Record<string, string> = {};
  const keepExample = async (name: string, status: DeliveryStatus): Promise<void> => {
    const { deliveries: found } = await webhooks.listDeliveries({ status, limit: 1 }, as);
    examples[name] = found[0]?.id ?? "";
  };
  return {
    endpoints,
    examples,
    ended: async () => {
      const until = Date.now() + PATIENCE_MS;
      while ((await countOf(DeliveryStatus.PENDING)) > 0) {
        if (Date.now() > until) throw new Error("there are deliveries that were not tried");
        await wait(POLL_MS);
      }
      await keepExample("failed", DeliveryStatus.FAILED);
      await keepExample("succeeded", DeliveryStatus.SUCCEEDED);
    },
    close: async () => {
      await worker.stop();
      await receiver.close();
    },
  };
}

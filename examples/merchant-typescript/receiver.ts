import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { verifyWebhook, type WebhookEvent } from "@paylink/sdk";

const BODY_BYTES_MAX = 1024 * 1024;

/**
 * Receives webhooks: verifies the signature over the bytes as they came, hands the event over, and answers 200
 * only when that is done. Any other answer, or none, lets the service send it again later.
 */
export async function startReceiver(
  port: number,
  secret: string,
  onEvent: (event: WebhookEvent) => void,
): Promise<{ close(): void }> {
  const server = createServer((request, response) => {
    receive(request, secret, onEvent).then(
      () => response.writeHead(200).end(),
      (error: unknown) => response.writeHead(400).end(error instanceof Error ? error.message : "refused"),
    );
  });
  server.listen(port, "localhost");
  await once(server, "listening");
  return {
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function receive(
  request: IncomingMessage,
  secret: string,
  onEvent: (event: WebhookEvent) => void,
): Promise<void> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) throw new Error("too large");
    chunks.push(chunk);
  }
  // Throws when the signature is not the service's, or older than five minutes.
  onEvent(verifyWebhook(Buffer.concat(chunks), request.headers, secret));
}

import { createServer, request, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** An answer on its way through the proxy. */
export interface Passing {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A server before another one that changes what it answers: a fault that a drill must find. */
export async function alteringProxy(
  baseUrl: string,
  alter: (answer: Passing) => Passing | Promise<Passing>,
): Promise<{ baseUrl: string; close: () => void }> {
  const server = createServer((incoming, outgoing) => {
    const { method, url = "", headers } = incoming;
    const answer = async (response: IncomingMessage): Promise<void> => {
      const chunks: Buffer[] = await response.toArray();
      const text = String(Buffer.concat(chunks));
      const altered = await alter({ status: response.statusCode ?? 0, headers: response.headers, text });
      const length = String(Buffer.byteLength(altered.text));
      const { "transfer-encoding": _chunked, ...others } = altered.headers;
      outgoing.writeHead(altered.status, { ...others, "content-length": length });
      outgoing.end(altered.text);
    };
    const forwarded = request(new URL(baseUrl + url), { method, headers }, (response) => {
      answer(response).catch(() => outgoing.destroy());
    });
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

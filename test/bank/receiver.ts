import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Authority } from "../support/certificates.ts";

/** A merchant's server that a bank calls back. It answers only those who show a certificate. */
export interface CallbackReceiver {
  /** What precedes `/pix`. */
  readonly url: string;
  readonly received: { readonly path: string; readonly text: string }[];
  stop(): Promise<void>;
}

export async function callbackReceiver(authority: Authority): Promise<CallbackReceiver> {
  const received: { path: string; text: string }[] = [];
  const server = createServer(
    { ...(await authority.issue()), ca: authority.cert, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      void text(request).then((body) => {
        received.push({ path: request.url ?? "", text: body });
        response.end();
      });
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}/providers/route1`,
    received,
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

const FAILS_ONE_IN = 10;

/** A merchant's receiver of webhooks that fails now and then, and knows which events it took. */
export class Receiver {
  readonly taken = new Set<string>();
  readonly #server: Server;
  #count = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      request.resume().on("end", () => {
        const isGood = ++this.#count % FAILS_ONE_IN !== 0;
        if (isGood) this.taken.add(String(request.headers["webhook-id"]));
        response.writeHead(isGood ? 200 : 500).end();
      });
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await once(this.#server.close(), "close");
  }
}

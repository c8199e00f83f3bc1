import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

/** What happens to the bytes on their way: all pass, none pass though connections stay open, or each waits. */
export type Passage = "pass" | "swallow" | { readonly delayMs: number };

/** A TCP port before the database's socket that can fail as a network does. */
export class DatabaseProxy {
  readonly #server: Server;
  readonly #target: () => string;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #passage: Passage = "pass";

  /** `target` names the socket to connect to at that moment. */
  constructor(target: () => string) {
    this.#target = target;
    this.#server = createServer((client) => this.#join(client));
  }

  async listen(): Promise<number> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  set(passage: Passage): void {
    this.#passage = passage;
    const isSilent = passage === "swallow";
    for (const socket of [...this.#pairs].flat()) {
      if (isSilent) socket.pause();
      else socket.resume();
    }
  }

  /** Ends every connection without a word. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await once(this.#server.close(), "close");
  }

  #join(client: Socket): void {
    const database = connect(this.#target());
    const pair = [client, database] as const;
    this.#pairs.add(pair);
    const end = (): void => {
      this.#pairs.delete(pair);
      client.destroy();
      database.destroy();
    };
    this.#pass(client, database);
    this.#pass(database, client);
    for (const socket of pair) socket.on("error", end).on("close", end);
    if (this.#passage === "swallow") for (const socket of pair) socket.pause();
  }

  #pass(from: Socket, to: Socket): void {
    from.setNoDelay(true);
    from.on("data", (chunk) => {
      const passage = this.#passage;
      if (typeof passage === "object") setTimeout(() => to.write(chunk), passage.delayMs);
      else to.write(chunk);
    });
  }
}

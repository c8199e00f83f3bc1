import { connect } from "node:tls";

// A process that opens TLS connections, one after the other, with a certificate that is expensive to verify, and
// reports how many servers finished the handshake and answered.

/** What the process is sent. */
export interface Attack {
  readonly port: number;
  readonly localAddress: string;
  readonly count: number;
  /** The chain in PEM and its key. */
  readonly cert: string;
  readonly key: string;
}

const REQUEST = "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

async function attempt({ port, localAddress, cert, key }: Attack): Promise<boolean> {
  return await new Promise((resolve) => {
    const address = { host: "127.0.0.1", port, localAddress };
    const socket = connect({ ...address, cert, key, servername: "localhost", rejectUnauthorized: false });
    socket.on("secureConnect", () => socket.write(REQUEST));
    socket.on("data", () => {
      resolve(true);
      socket.destroy();
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => resolve(false));
  });
}

process.once("message", (message) => {
  const attack = message as Attack;
  void (async () => {
    let answered = 0;
    for (let count = 0; count < attack.count; count++) answered += (await attempt(attack)) ? 1 : 0;
    process.send?.(answered, () => process.disconnect?.());
  })();
});

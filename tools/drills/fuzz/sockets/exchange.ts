import { connect } from "node:net";

const QUIET_MS = 200;

/** Sends bytes over a connection of its own, ends it, and gives what came back until it closes or falls silent. */
export async function exchange(address: string, parts: readonly Uint8Array[]): Promise<Buffer> {
  const [host = "", port = ""] = address.split(":");
  const received: Buffer[] = [];
  return await new Promise((resolve) => {
    const socket = connect({ host, port: Number(port), allowHalfOpen: true });
    const done = (): void => {
      socket.destroy();
      resolve(Buffer.concat(received));
    };
    socket.setTimeout(QUIET_MS, done);
    socket.on("data", (chunk: Buffer) => received.push(chunk));
    socket.on("end", done);
    // A server that refuses early closes before it has read all: what it sent is what counts.
    socket.on("error", done);
    for (const part of parts) socket.write(part);
    socket.end();
  });
}

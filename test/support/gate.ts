import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A way to a port of this machine that can be closed, or lose all that passes. */
export interface Gate {
  readonly port: number;
  /** Ends every connection, and refuses new ones. */
  shut(): Promise<void>;
  /** Loses what passes on the connections that are open now, which stay open. */
  silence(): void;
  /** Lets new connections through. */
  open(): Promise<void>;
  close(): Promise<void>;
}

export async function openGate(target: number): Promise<Gate> {
  const sockets = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from.on("error", () => undefined);
    from.on("data", (bytes) => void (silent.has(from) || to.write(bytes)));
    from.on("close", () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    pass(near, far);
    pass(far, near);
  });
  const open = async (port: number): Promise<void> =>
    void (await once(server.listen(port, "127.0.0.1"), "listening"));
  await open(0);
  const { port } = server.address() as AddressInfo;
  const shut = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await once(server.close(), "close");
  };
  return {
    port,
    shut,
    silence: () => {
      for (const socket of sockets) silent.add(socket);
    },
    open: async () => await open(port),
    close: shut,
  };
}

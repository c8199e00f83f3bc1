import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** Which bytes get lost on the way; connections stay open, as those to a frozen server or through a dead firewall do. */
interface Losses {
  /** What the database sends; else both directions. */
  readonly answersOnly?: boolean;
  /** Only on connections that began with this text in their first packet, such as an application's name. */
  readonly of?: string;
  /** Only from the packet on that holds this text, such as a value of a statement. */
  readonly from?: string;
}

/** A way to the database that can fall silent. */
export interface DatabaseProxy {
  /** The database's address by this way. */
  readonly url: string;
  silence(losses?: Losses): void;
  /** Lets bytes through again; those that were lost stay lost. */
  restore(): void;
  close(): Promise<void>;
}

/** Opens a way to the database of this address, which names a socket's folder. */
export async function openDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const direct = new URL(databaseUrl);
  const path = `${direct.searchParams.get("host")}/.s.PGSQL.${direct.searchParams.get("port")}`;
  const sockets = new Set<Socket>();
  let losses: Losses | undefined;
  const server = createServer((near) => {
    const far = connect(path);
    let opening = "";
    let isConcerned = false;
    const isLost = (isAnswer: boolean): boolean => {
      if (losses === undefined || !opening.includes(losses.of ?? "")) return false;
      return (losses.from === undefined || isConcerned) && (isAnswer || losses.answersOnly !== true);
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        near.destroy();
        // What was sent before the end still reaches the database.
        far.end();
      });
    }
    near.on("data", (bytes) => {
      opening ||= bytes.toString("latin1");
      isConcerned ||= losses?.from !== undefined && bytes.includes(losses.from);
      if (!isLost(false)) far.write(bytes);
    });
    far.on("data", (bytes) => {
      if (!isLost(true)) near.write(bytes);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgresql://${direct.username}@127.0.0.1:${port}${direct.pathname}`,
    silence: (wanted = {}) => {
      losses = wanted;
    },
    restore: () => {
      losses = undefined;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), "close");
    },
  };
}

import type { LookupAddress } from "node:dns";
import { connect, type Socket } from "node:net";

/** What is done with the connection, or with the failure of the first address. */
type Settled = (failure: Error | undefined, socket?: Socket) => void;

// RFC 8305, 5.
const NEXT_MS = 250;
const OPEN_MAX = 2;
const KEEP_ALIVE_MS = 60_000;

/**
 * Connects to the addresses, the families in turn: to the next one when the last has failed or not answered for a while.
 * The first that answers is taken. One that is slow is not given up for a next one that fails at once, as Node's own
 * choice does: where IPv6 leads nowhere, every server of both families would be lost as soon as this thread is busy.
 * Returns what ends it.
 */
export function connectToFirst(
  addresses: readonly LookupAddress[],
  port: number,
  settled: Settled,
): () => void {
  const waiting = inTurn(addresses);
  const open = new Set<Socket>();
  let failure: Error | undefined;
  let timer: NodeJS.Timeout | undefined;

  const end = (): void => {
    clearTimeout(timer);
    waiting.length = 0;
    for (const socket of open) socket.destroy();
    open.clear();
  };
  const startNext = (): void => {
    clearTimeout(timer);
    const address = waiting.shift();
    if (address) start(address.address);
    else if (open.size === 0) settled(failure ?? new Error("there is no address"));
  };
  const start = (host: string): void => {
    const [oldest] = open;
    if (oldest && open.size === OPEN_MAX) drop(oldest);
    const socket = connect({
      host,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
    });
    open.add(socket);
    socket.once("connect", () => {
      if (!open.delete(socket)) return;
      end();
      socket.removeAllListeners("error");
      settled(undefined, socket);
    });
    socket.on("error", (error) => {
      failure ??= error;
      if (open.delete(socket)) startNext();
    });
    if (waiting.length > 0) timer = setTimeout(startNext, NEXT_MS);
  };
  const drop = (socket: Socket): void => {
    open.delete(socket);
    socket.destroy();
  };
  startNext();
  return end;
}

/** Returns the addresses in their order, those of the two families in turn. */
function inTurn(addresses: readonly LookupAddress[]): LookupAddress[] {
  const first = addresses.filter(({ family }) => family === addresses[0]?.family);
  const others = addresses.filter(({ family }) => family !== addresses[0]?.family);
  const longer = Math.max(first.length, others.length);
  return Array.from({ length: longer }, (_, index) => [first[index], others[index]])
    .flat()
    .filter((address) => address !== undefined);
}

import type { Worker } from "node:cluster";

/** What Node's cluster says between its processes. */
interface ClusterMessage {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

interface Handle {
  close(): void;
}

/**
 * Closes the connections that were being handed over to a process when it ended. Node keeps them open until that process
 * says that it has them, which a killed one never does: the client would wait for ever.
 */
export function closeUnanswered({ process: child }: Worker): void {
  const handedOver = new Map<number, Handle>();
  const send = child.send.bind(child) as (...given: unknown[]) => boolean;
  child.send = (message: ClusterMessage, handle: unknown, ...rest: unknown[]): boolean => {
    if (message.act === "newconn" && message.seq !== undefined) handedOver.set(message.seq, handle as Handle);
    return send(message, handle, ...rest);
  };
  child.on("internalMessage", ({ ack }: ClusterMessage) => {
    if (ack !== undefined) handedOver.delete(ack);
  });
  child.once("exit", () => {
    for (const handle of handedOver.values()) handle.close();
  });
}

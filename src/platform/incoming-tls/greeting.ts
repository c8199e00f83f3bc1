import { timingSafeEqual } from "node:crypto";
import type { Socket } from "node:net";
import { GO, HEAD_BYTES, INTRODUCTION_BYTES_MAX, TOKEN_BYTES, type Introduced } from "./protocol.ts";

const GREETING_MS = 5000;

/**
 * Reads the introduction of a client from a connection of the thread, and lets the thread pass on what it sends. A
 * connection without the token is ended.
 */
export function readIntroduction(
  socket: Socket,
  token: Uint8Array,
  take: (introduced: Introduced) => void,
): void {
  let length: number | undefined;
  const timer = setTimeout(() => socket.destroy(), GREETING_MS);
  const end = (): void => void socket.destroy();
  const look = (): void => {
    if (length === undefined) {
      const head = socket.read(HEAD_BYTES) as Buffer | null;
      if (!head) return;
      const isOurs = timingSafeEqual(head.subarray(0, TOKEN_BYTES), token);
      length = head.readUInt32BE(TOKEN_BYTES);
      if (!isOurs || length > INTRODUCTION_BYTES_MAX) return end();
    }
    const text = socket.read(length) as Buffer | null;
    if (!text) return;
    clearTimeout(timer);
    socket.off("readable", look).off("error", end);
    // Nothing follows before it.
    socket.write(GO);
    take(JSON.parse(text.toString()) as Introduced);
  };
  socket.on("error", end);
  socket.once("close", () => clearTimeout(timer));
  socket.on("readable", look);
}

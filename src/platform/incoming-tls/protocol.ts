import type { ServerTls } from "../tls.ts";

/** The most connections of a thread, and those of one network. */
export interface ThreadBounds {
  readonly all: number;
  readonly ofNetwork: number;
  /**
   * Those whose handshake has not ended, and as many again that the process has ended and whose client still takes the
   * rest: a new one takes the place of the oldest.
   */
  readonly handshakes: number;
}

/** What a thread is started with. */
export interface ThreadData {
  readonly host: string;
  readonly port: number;
  /** True: other processes listen there too. */
  readonly isShared: boolean;
  /** With `ca`, a client needs a certificate of that authority; else it may show any, or none. */
  readonly tls: ServerTls;
  /** Names of ALPN, the preferred one first. */
  readonly protocols: readonly string[];
  readonly bounds: ThreadBounds;
  /** Where the process's own server listens. */
  readonly path: string;
  /** Shows to that server that a connection is the thread's. */
  readonly token: Uint8Array;
}

/** What the process asks of its thread. `end`: accept no more, and end with the last connection. */
export type ToThread =
  | { readonly kind: "stop" | "end" }
  | { readonly kind: "renew"; readonly tls: ServerTls };

/** What the thread reports. */
export type FromThread =
  | { readonly kind: "listening"; readonly address: string; readonly port: number }
  | { readonly kind: "refused"; readonly code: string; readonly message: string }
  | { readonly kind: "stopped" };

/** A client whose handshake has ended, as the thread introduces it. */
export interface Introduced {
  readonly address: string;
  readonly port: number;
  /** The name that ALPN chose, or "". */
  readonly protocol: string;
  /** The client's certificates, DER in base64, its own first. */
  readonly certificates: readonly string[];
}

export const TOKEN_BYTES = 32;
/** The token, and the length of the introduction. */
export const HEAD_BYTES = TOKEN_BYTES + 4;
export const INTRODUCTION_BYTES_MAX = 64 * 1024;
/** The process's answer to an introduction. What the client sends follows it. */
export const GO = Buffer.from([1]);

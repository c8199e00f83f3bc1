import type { LookupFunction } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Agent } from "undici";
import { CLIENT_TLS } from "./client-tls.ts";
import { undici } from "./lazy-undici.ts";

interface OutsideAgentOptions {
  /** Judges the addresses behind a name: no other is connected to. A host that is an IP address is judged before. */
  readonly lookup: LookupFunction;
  readonly connectMs: number;
  /** Time without a part of an answer. */
  readonly answerMs: number;
  /** Of an answer's body. Absent: the caller reads no more than it needs. */
  readonly bodyBytesMax?: number;
  /** For each origin. Absent: any number. */
  readonly connections?: number;
  /** False: a connection is used once, so that each request resolves the name again. */
  readonly isKept: boolean;
  /** Made with `CLIENT_TLS`. Absent: one without a client certificate, which trusts the system's authorities. */
  readonly secureContext?: SecureContext | undefined;
}

/** The code of an error for a body of more bytes than the agent reads. */
export const BODY_TOO_LARGE = "UND_ERR_RES_EXCEEDED_MAX_SIZE";

// Node's own 250 ms give up a distant or busy server for its next address, also if that leads nowhere.
const ADDRESSES_IN_TIME = 4;
let common: SecureContext | undefined;

/** Returns connections to servers outside, by HTTP/1.1. No redirect is followed, and no proxy is used. */
export function outsideAgent({ lookup, connectMs, answerMs, ...options }: OutsideAgentOptions): Agent {
  const { bodyBytesMax = -1, connections = null, isKept, secureContext } = options;
  return new (undici().Agent)({
    connect: {
      lookup,
      timeout: connectMs,
      autoSelectFamilyAttemptTimeout: Math.ceil(connectMs / ADDRESSES_IN_TIME),
      secureContext: secureContext ?? (common ??= createSecureContext(CLIENT_TLS)),
      rejectUnauthorized: true,
    },
    allowH2: false,
    connections,
    pipelining: isKept ? 1 : 0,
    headersTimeout: answerMs,
    bodyTimeout: answerMs,
    maxResponseSize: bodyBytesMax,
  });
}

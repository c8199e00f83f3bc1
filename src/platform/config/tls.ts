import { constants } from "node:crypto";

/** A server's certificate, and whether it asks clients for theirs, as options of Node with PEM texts. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
  /** Present: clients must present a certificate signed by this one. */
  readonly ca?: string;
  readonly requestCert?: boolean;
  readonly rejectUnauthorized?: boolean;
  readonly ciphers?: string;
  readonly secureOptions?: number;
}

/** The options of a server that asks clients for certificates. */
export const ASKING = {
  requestCert: true,
  ciphers:
    "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:ECDHE+AESGCM:ECDHE+CHACHA20",
  // A resumed session has no chain of certificates, and a second handshake could bring another one.
  secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
} as const;

/** A client's trusted authorities, instead of the system's, and its certificate, as PEM texts. */
export interface ClientTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

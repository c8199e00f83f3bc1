/** A server's certificate, and the client certificates that it requires, as PEM texts. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
  /** Present: clients must present a certificate signed by this one. */
  readonly ca?: string;
  readonly requestCert?: boolean;
  readonly rejectUnauthorized?: boolean;
}

/** A client's trusted authorities, instead of the system's, and its certificate, as PEM texts. */
export interface ClientTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

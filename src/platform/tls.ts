/** What a server shows and asks for, as PEM texts. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
  /** Present: clients must show a certificate that this one has signed. */
  readonly ca?: string;
  readonly requestCert?: boolean;
  readonly rejectUnauthorized?: boolean;
}

/** What a client trusts, instead of the system's authorities, and shows, as PEM texts. */
export interface ClientTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

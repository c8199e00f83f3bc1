import type { ClientOptions } from "./state.ts";

/** A certificate and its key, in PEM. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

export interface BankOptions {
  /** The certificate that the bank shows. */
  readonly server: CertificatePair;
  /** The authority of its clients' certificates, in PEM. */
  readonly clientAuthority: string;
  readonly clients: readonly ClientOptions[];
  /** The certificate with which the bank calls its clients back, and the authority that it trusts there. */
  readonly callbacks?: {
    readonly identity?: CertificatePair;
    readonly authority?: string;
    /** True: clients may be called back over http, as on a developer's machine. Absent: https alone. */
    readonly isHttpAllowed?: boolean;
  };
  /** 0 or absent: any free port of the loopback. */
  readonly port?: number;
}

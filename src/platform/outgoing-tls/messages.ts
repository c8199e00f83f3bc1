import type { LookupAddress } from "node:dns";
import type { MessagePort } from "node:worker_threads";

/** A client certificate with its key, in PEM or PKCS#12. */
export type ClientIdentity =
  | { readonly certificate: string; readonly privateKey: string }
  | { readonly pfx: Uint8Array; readonly passphrase: string };

/** Opens a connection. `port` then carries its bytes, by `PortStream`. */
interface ConnectRequest {
  readonly kind: "connect";
  readonly port: MessagePort;
  readonly host: string;
  readonly hostPort: number;
  /** The addresses of the host, which were judged: no other is connected to. */
  readonly addresses: LookupAddress[];
  /** Who takes turns with others. */
  readonly owner: string;
  readonly certificateId: number | undefined;
  /** The protocols that are offered to the server (ALPN). */
  readonly protocols: readonly string[];
}

/** Reads a client certificate, and keeps it until it is forgotten. `port` carries one `CertificateAnswer`. */
interface CertificateRequest {
  readonly kind: "certificate";
  readonly port: MessagePort;
  readonly id: number;
  /** null: none is shown, and only `ca` counts. */
  readonly identity: ClientIdentity | null;
  /** Certificates of authorities to trust besides the system's, in PEM. */
  readonly ca: string | null;
}

/** Asks for the addresses of a name. `port` carries one `NameAnswer`. */
interface NameRequest {
  readonly kind: "name";
  readonly port: MessagePort;
  readonly name: string;
  readonly owner: string;
  /** Absent: the system's. */
  readonly servers?: readonly string[] | undefined;
}

interface ForgetRequest {
  readonly kind: "forget";
  readonly id: number;
}

/** What the thread is asked. */
export type ThreadRequest = ConnectRequest | CertificateRequest | NameRequest | ForgetRequest;

/** What a thread says by itself: a fault that no connection's failure reports, or that an owner's handshake took
 * long or a name of it has very many addresses. */
export type ThreadNotice =
  | { readonly kind: "fault"; readonly fault: unknown }
  | { readonly kind: "costly"; readonly owner: string };

/** When the certificate ends, in milliseconds since 1970. Undefined: it, or its key, cannot be read. */
export interface CertificateAnswer {
  readonly endsMs: number | undefined;
}

/** The addresses of a name, or why there are none. */
export type NameAnswer = { readonly addresses: LookupAddress[] } | { readonly failure: ConnectionFailure };

/** Why a connection failed, as Node says it. */
export interface ConnectionFailure {
  readonly code: string | undefined;
  readonly message: string;
}

import { NODATA, SERVFAIL, type LookupAddress, type LookupOptions } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { MessageChannel, type MessagePort, type Worker } from "node:worker_threads";
import { CostlyOwners } from "./costly-owners.ts";
import { FairTurns } from "./outgoing-tls/fair-turns.ts";
import { ask, Lane } from "./outgoing-tls/lane.ts";
import type { CertificateAnswer, ClientIdentity, NameAnswer, ThreadNotice } from "./outgoing-tls/messages.ts";
import { PortStream } from "./outgoing-tls/port-stream.ts";

export type { ClientIdentity } from "./outgoing-tls/messages.ts";

/** A server to connect to by TLS. */
export interface TlsTarget {
  readonly host: string;
  readonly port: number;
  /** Judges the addresses of the host. A host that is an IP address is never looked up, and judged before. */
  readonly lookup: LookupFunction;
  /** Whose connection it is: owners take turns, so that a server with slow handshakes delays its own owner. */
  readonly owner: string;
  readonly certificate?: ClientCertificate | undefined;
  /** The protocols that are offered (ALPN). Absent: HTTP/1.1. */
  readonly protocols?: readonly string[];
}

/** The options of a lookup of a name that an owner chose. */
export interface OwnedLookupOptions extends LookupOptions {
  readonly owner?: string;
}

/** What is wrong with a client certificate. */
type CertificateFailure = "certificate_expired" | "certificate_unreadable";

const costly = new CostlyOwners();
const usualLane = new Lane({ isForCostly: false, onNotice });
const costlyLane = new Lane({ isForCostly: true, onNotice });

// What reads the plain bytes may need long for few, such as chunks of one byte: between two pieces are other events.
const turns = new FairTurns();

let report: (fault: unknown) => void = () => undefined;

/** Reports faults of the threads from now on: one that ended it, or one that no connection's failure reports. */
export function onThreadFault(listener: (fault: unknown) => void): void {
  report = listener;
}

function onNotice(notice: ThreadNotice): void {
  if (notice.kind === "costly") costly.note(notice.owner);
  else report(notice.fault);
}

/** Returns the thread of an owner's connections: of those with costly handshakes another one than of all others. */
function threadOf(owner: string): Worker {
  return (costly.has(owner) ? costlyLane : usualLane).thread();
}

/**
 * Connects by TLS 1.2 or 1.3, in a thread. Returns the stream of the plain bytes at once; it emits
 * "secureConnect" when it is open, and fails with the errors of Node and of the lookup.
 */
export function connectTls(target: TlsTarget): PortStream {
  const { port1, port2 } = new MessageChannel();
  const inTurn = (work: () => void): void => turns.take(target.owner, work);
  const stream = new PortStream(port1, { allowHalfOpen: false, inTurn });
  open(target, stream, port2).catch((error: unknown) => stream.destroy(error as Error));
  return stream;
}

async function open(
  { host, port: hostPort, lookup, owner, certificate, protocols = ["http/1.1"] }: TlsTarget,
  stream: PortStream,
  port: MessagePort,
): Promise<void> {
  const addresses = await addressesOf(host, lookup, owner);
  const worker = threadOf(owner);
  await certificate?.read(worker);
  if (stream.destroyed) return;
  const request = { kind: "connect", port, host, hostPort, addresses, owner, protocols } as const;
  ask(worker, { ...request, certificateId: certificate?.id }, [port]);
}

async function addressesOf(host: string, lookup: LookupFunction, owner: string): Promise<LookupAddress[]> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  const options: OwnedLookupOptions = { all: true, owner };
  return await new Promise((resolve, reject) => {
    lookup(host, options, (error, found, foundFamily = 4) => {
      const addresses = typeof found === "string" ? [{ address: found, family: foundFamily }] : found;
      if (error) reject(error);
      else if (addresses.length === 0)
        reject(Object.assign(new Error(`${host} has no address`), { code: NODATA }));
      else resolve(addresses);
    });
  });
}

/**
 * Resolves a name by DNS in the owner's thread: who answers for a name chooses how much there is to be read. Throws the
 * errors of DNS. `servers`: absent, the system's.
 */
export async function resolveName(
  name: string,
  owner: string,
  servers?: readonly string[],
): Promise<LookupAddress[]> {
  const { port1, port2 } = new MessageChannel();
  ask(threadOf(owner), { kind: "name", port: port2, name, owner, servers }, [port2]);
  const answer = await new Promise<NameAnswer>((resolve) => {
    port1.once("message", (answered: NameAnswer) => {
      port1.close();
      resolve(answered);
    });
    port1.once("close", () =>
      resolve({ failure: { code: SERVFAIL, message: "the thread that resolves names ended" } }),
    );
  });
  if ("addresses" in answer) return answer.addresses;
  const { code, message } = answer.failure;
  throw Object.assign(new Error(message), { code });
}

let lastId = 0;
const dropped = new FinalizationRegistry<number>(forget);

function forget(id: number): void {
  for (const lane of [usualLane, costlyLane]) lane.askIfRunning({ kind: "forget", id });
}

/**
 * The client certificate of an account. Its key is read once for all connections: deriving it from a passphrase takes the
 * time of all tenants' connections.
 */
export class ClientCertificate {
  readonly id = ++lastId;
  readonly #identity: ClientIdentity | null;
  readonly #ca: string | null;
  readonly #answers = new WeakMap<Worker, Promise<CertificateAnswer>>();
  #known: CertificateAnswer | undefined;

  /** `identity` null: none is shown. `ca`: certificates of authorities to trust besides the system's, in PEM. */
  constructor(identity: ClientIdentity | null, ca: string | null) {
    this.#identity = identity;
    this.#ca = ca;
    dropped.register(this, this.id);
  }

  /** What is wrong with it, as far as it was read. A server that refuses it often only closes the connection. */
  get failure(): CertificateFailure | undefined {
    if (!this.#known) return undefined;
    const { endsMs } = this.#known;
    if (endsMs === undefined) return "certificate_unreadable";
    return endsMs < Date.now() ? "certificate_expired" : undefined;
  }

  /** Has a thread read it. Throws if it, its key or `ca` is not readable. */
  async read(by: Worker): Promise<void> {
    let answer = this.#answers.get(by);
    if (!answer) this.#answers.set(by, (answer = this.#send(by)));
    this.#known = await answer;
    if (this.failure === "certificate_unreadable") throw new Error("the client certificate cannot be read");
  }

  /** Removes it from the threads. It is not used again. */
  close(): void {
    forget(this.id);
  }

  async #send(by: Worker): Promise<CertificateAnswer> {
    const { port1, port2 } = new MessageChannel();
    const identity = cloned(this.#identity);
    const request = { kind: "certificate", port: port2, id: this.id, identity, ca: this.#ca } as const;
    ask(by, request, [port2]);
    return await new Promise((resolve, reject) => {
      port1.once("message", (answer: CertificateAnswer) => {
        port1.close();
        resolve(answer);
      });
      port1.once("close", () => reject(new Error("the thread of TLS ended")));
    });
  }
}

/** Copies the bytes: a buffer of Node may share its memory with others. */
function cloned(identity: ClientIdentity | null): ClientIdentity | null {
  if (identity === null || !("pfx" in identity)) return identity;
  return { pfx: Uint8Array.from(identity.pfx), passphrase: identity.passphrase };
}

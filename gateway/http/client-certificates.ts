import type { FastifyRequest } from "fastify";
import type { Socket } from "node:net";
import { TLSSocket, type DetailedPeerCertificate } from "node:tls";
import ipaddr from "ipaddr.js";

const CHAIN_MAX = 10;
// A byte sequence of RFC 8941.
const BYTES = /^:([A-Za-z0-9+/=]*):$/;

/** Reads the certificates that clients show: their connection's, or those that a proxy hands on. */
export class ClientCertificates {
  readonly #proxies: readonly Network[];

  /** `proxies`: addresses and networks of the proxies that set Client-Cert and remove a client's own. */
  constructor(proxies: readonly string[]) {
    this.#proxies = proxies.map(networkIn);
  }

  /**
   * Returns the client's certificates in DER, its own first: those of the Client-Cert of a proxy that sets it (RFC
   * 9440), else those of the connection, unverified. A client's own Client-Cert that another proxy passes on
   * looks the same. Returns none if they are not readable.
   */
  of({ raw }: FastifyRequest): Uint8Array[] {
    const { socket, headers } = raw;
    const isProxy = this.#proxies.some((network) => isWithin(socket.remoteAddress ?? "", network));
    if (!isProxy) return chainOf(socket);
    const own = bytesIn([headers["client-cert"] ?? ""].flat());
    const chain = [headers["client-cert-chain"] ?? ""].flat().join(",").split(",");
    const others = bytesIn(chain.map((item) => item.trim()).filter((item) => item !== ""));
    return own.length === 1 ? [...own, ...others].slice(0, CHAIN_MAX) : [];
  }
}

/** Returns what the client of a connection showed. Returns none if it was not asked for any. */
function chainOf(socket: Socket): Uint8Array[] {
  const chain: Uint8Array[] = [];
  if (!(socket instanceof TLSSocket)) return chain;
  const seen = new Set<DetailedPeerCertificate>();
  // Without a certificate Node returns an empty object, and of a closed connection null.
  let next = socket.getPeerCertificate(true) as Partial<DetailedPeerCertificate> | null | undefined;
  while (isCertificate(next) && !seen.has(next) && chain.length < CHAIN_MAX) {
    chain.push(next.raw);
    seen.add(next);
    next = next.issuerCertificate;
  }
  return chain;
}

function isCertificate(
  given: Partial<DetailedPeerCertificate> | null | undefined,
): given is DetailedPeerCertificate {
  return given?.raw !== undefined;
}

function bytesIn(items: readonly string[]): Uint8Array[] {
  return items.flatMap((item) => {
    const [, text] = BYTES.exec(item.trim()) ?? [];
    return text === undefined ? [] : [Buffer.from(text, "base64")];
  });
}

type Network = ReturnType<typeof ipaddr.parseCIDR>;

function networkIn(text: string): Network {
  if (text.includes("/")) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

function isWithin(text: string, network: Network): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return address.kind() === network[0].kind() && address.match(network);
}

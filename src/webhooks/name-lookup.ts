import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { resolveName, type OwnedLookupOptions } from "../platform/outgoing-tls.ts";

const LOOPBACK: LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/**
 * Returns a lookup that resolves names by DNS and not through the system. The system has few threads, and names whose
 * servers never answer would block all others. localhost is this machine, as RFC 6761 requires.
 */
export function nameLookup(servers?: readonly string[]): LookupFunction {
  return (hostname, options, callback) => {
    void answer(hostname, options, callback, servers);
  };
}

async function answer(
  hostname: string,
  { all: isAll = false, owner = "" }: OwnedLookupOptions,
  callback: Parameters<LookupFunction>[2],
  servers: readonly string[] | undefined,
): Promise<void> {
  let addresses: LookupAddress[];
  try {
    const name = hostname.replace(/\.$/, "").toLowerCase();
    addresses = isLocal(name) ? LOOPBACK : await resolveName(name, owner, servers);
  } catch (error) {
    callback(asNameFailure(error as NodeJS.ErrnoException), []);
    return;
  }
  if (isAll) callback(null, addresses);
  else callback(null, addresses[0]?.address ?? "", addresses[0]?.family);
}

function isLocal(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost");
}

// Its own code would look like that of a connection timeout.
function asNameFailure(error: NodeJS.ErrnoException): NodeJS.ErrnoException {
  if (error.code === "ETIMEOUT") error.code = "EDNSTIMEOUT";
  return error;
}

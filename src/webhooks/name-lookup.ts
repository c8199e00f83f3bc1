import { NODATA, type LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import type { LookupFunction } from "node:net";

const LOOPBACK: LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];
const TRY_MS = 2000;
const TRIES = 2;
// Some thousands fit in an answer. These are judged, and no others are connected to.
const ADDRESSES_MAX = 64;

/**
 * Returns a lookup that resolves names by DNS and not through the system. The system has few threads, and names whose
 * servers never answer would block all others. localhost is this machine, as RFC 6761 requires. `servers`: absent, the
 * system's.
 */
export function nameLookup(servers?: readonly string[]): LookupFunction {
  return (hostname, { all: isAll = false }, callback) => {
    void answer(hostname, isAll, callback, servers);
  };
}

async function answer(
  hostname: string,
  isAll: boolean,
  callback: Parameters<LookupFunction>[2],
  servers: readonly string[] | undefined,
): Promise<void> {
  let addresses: LookupAddress[];
  try {
    addresses = await addressesOf(hostname, servers);
  } catch (error) {
    callback(asNameFailure(error as NodeJS.ErrnoException), []);
    return;
  }
  if (isAll) callback(null, addresses);
  else callback(null, addresses[0]?.address ?? "", addresses[0]?.family);
}

/** Returns at least one address. Throws the errors of DNS. */
async function addressesOf(
  hostname: string,
  servers: readonly string[] | undefined,
): Promise<LookupAddress[]> {
  const name = hostname.replace(/\.$/, "").toLowerCase();
  if (name === "localhost" || name.endsWith(".localhost")) return LOOPBACK;
  // A new one knows the system's servers as they are now.
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = [
    ...(v4.status === "fulfilled" ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === "fulfilled" ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (found.length > 0) return found.slice(0, ADDRESSES_MAX);
  // A name that is an alias of one without an address has an empty answer, and no failure.
  if (v4.status === "rejected") throw v4.reason;
  throw Object.assign(new Error(`${name} has no address`), { code: NODATA });
}

// Its own code would look like that of a connection timeout.
function asNameFailure(error: NodeJS.ErrnoException): NodeJS.ErrnoException {
  if (error.code === "ETIMEOUT") error.code = "EDNSTIMEOUT";
  return error;
}

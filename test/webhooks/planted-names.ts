import type { LookupFunction } from "node:net";
import { expect } from "vitest";

/** Names that lead where the test says, and the lookup that knows no other. What one leads to may change meanwhile. */
export function plantNames(): { readonly names: Map<string, string[]>; readonly lookup: LookupFunction } {
  const names = new Map<string, string[]>();
  const lookup: LookupFunction = (hostname, options, callback) => {
    const addresses = names.get(hostname);
    if (!addresses) {
      callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: "ENOTFOUND" }), "", 4);
      return;
    }
    const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    if (options.all) callback(null, found);
    else callback(null, found[0]?.address ?? "", found[0]?.family ?? 4);
  };
  return { names, lookup };
}

export const refused = expect.objectContaining({
  rawMessage: expect.stringContaining("does not lead to the public internet"),
});

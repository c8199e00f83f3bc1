import { getOption, type DescMethod } from "@bufbuild/protobuf";
import { method as methodRules } from "../gen/paylink/options/v1/options_pb.ts";

/**
 * Returns a function that caches a value read from an RPC's options. Without the cache, every call would decode the
 * option again.
 */
export function ofMethod<T>(read: (method: DescMethod) => T): (method: DescMethod) => T {
  const known = new WeakMap<DescMethod, { readonly value: T }>();
  return (method) => {
    let found = known.get(method);
    if (!found) {
      found = { value: read(method) };
      known.set(method, found);
    }
    return found.value;
  };
}

/** Returns true if an RPC takes its tenant from its own fields. */
export const isAdministrative = ofMethod((method) => getOption(method, methodRules).isAdministrative);

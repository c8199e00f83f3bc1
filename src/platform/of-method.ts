import type { DescMethod } from "@bufbuild/protobuf";

/** What is read from an RPC's options, kept: reading an option decodes it each time, which every call would pay for. */
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

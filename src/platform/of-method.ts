import { getOption, type DescMethod } from "@bufbuild/protobuf";
import { method as methodRules } from "../../gen/paylink/options/v1/options_pb.ts";

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

/** Whether an RPC takes its tenant from its own fields. */
export const isAdministrative = ofMethod((method) => getOption(method, methodRules).isAdministrative);

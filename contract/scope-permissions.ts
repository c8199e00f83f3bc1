import { getOption } from "@bufbuild/protobuf";
import { method as methodRules } from "../gen/paylink/options/v1/options_pb.ts";
import { EVERYTHING, permissionOf, type Permissions } from "./permission.ts";
import { PUBLIC_SERVICES } from "./public-services.ts";

const METHODS_OF = Map.groupBy(
  PUBLIC_SERVICES.flatMap(({ methods }) => methods),
  (method) => getOption(method, methodRules).scope,
);

/** Returns the permissions of the RPCs that a key with the scopes may call. A scope of no RPC needs all. */
export function permissionsOfScopes(scopes: readonly string[]): Permissions {
  const needed = scopes.flatMap((scope) => METHODS_OF.get(scope)?.map(permissionOf) ?? EVERYTHING);
  return [...new Set(needed)];
}

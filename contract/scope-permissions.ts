import { getOption } from "@bufbuild/protobuf";
import { LedgerService } from "../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService } from "../gen/paylink/links/v1/links_pb.ts";
import { method as methodRules } from "../gen/paylink/options/v1/options_pb.ts";
import { PricingService } from "../gen/paylink/pricing/v1/pricing_pb.ts";
import { RefundsService } from "../gen/paylink/refunds/v1/refunds_pb.ts";
import { EVERYTHING, permissionOf, type Permissions } from "./permission.ts";

/** The services whose RPCs a key may call. */
const SERVICES = [PricingService, LedgerService, RefundsService, LinksService];

const METHODS_OF = Map.groupBy(
  SERVICES.flatMap(({ methods }) => methods),
  (method) => getOption(method, methodRules).scope,
);

/** Returns the permissions of the RPCs that a key with the scopes may call. A scope of no RPC needs all. */
export function permissionsOfScopes(scopes: readonly string[]): Permissions {
  const needed = scopes.flatMap((scope) => METHODS_OF.get(scope)?.map(permissionOf) ?? EVERYTHING);
  return [...new Set(needed)];
}

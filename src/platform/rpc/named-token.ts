import { createContextKey } from "@connectrpc/connect";
import type { Mode } from "./caller.ts";
import type { Permissions } from "../../../contract/permission.ts";

/** A named core token, with its permissions and bounds. */
export interface NamedToken {
  readonly id: string;
  readonly permissions: Permissions;
  /** The tenant that it is bound to; null: any. */
  readonly tenantId: string | null;
  /** The mode that it is bound to; null: any. */
  readonly mode: Mode | null;
  /** True: its calls for merchants and payers count as theirs, see `CreateCoreTokenRequest.is_gateway`. */
  readonly isGateway: boolean;
}

/** The named core token of a call; undefined for the core's own token. */
export const namedToken = createContextKey<NamedToken | undefined>(undefined);

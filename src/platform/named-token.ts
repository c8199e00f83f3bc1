import { createContextKey } from "@connectrpc/connect";
import type { Mode } from "./caller.ts";
import type { Permissions } from "./permission.ts";

/** A named core token: who presents it, and what it may do. */
export interface NamedToken {
  readonly id: string;
  readonly permissions: Permissions;
  /** The tenant that it is bound to; null: none. */
  readonly tenantId: string | null;
  /** The environment that it is bound to; null: none. */
  readonly mode: Mode | null;
  /** What it asks for merchants and payers is theirs, see `CreateCoreTokenRequest.is_gateway`. */
  readonly isGateway: boolean;
}

/** The named core token that a call presented; undefined for the core's own. */
export const namedToken = createContextKey<NamedToken | undefined>(undefined);

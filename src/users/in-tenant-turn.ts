import type { HandlerContext } from "@connectrpc/connect";
import type { TurnDeps } from "./deps.ts";

type Rpc<Request, Answer> = (request: Request, context: HandlerContext) => Promise<Answer>;

/** Returns an RPC whose calls for one tenant, and those of all such RPCs, come one after the other with all that they read. */
export function inTenantTurn<Request extends { readonly tenantId: string }, Answer>(
  { tenants }: TurnDeps,
  rpc: Rpc<Request, Answer>,
): Rpc<Request, Answer> {
  return async (request, context) =>
    await tenants.run(request.tenantId, async () => await rpc(request, context), context.signal);
}

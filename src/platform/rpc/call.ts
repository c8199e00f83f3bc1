import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { CallAudit } from "./audit-entry.ts";
import type { Caller } from "./caller.ts";
import type { Environment } from "../db/database.ts";

/** A caller, with what makes the audit entries of its call: undefined if it has none. */
export interface Call extends Caller {
  readonly audit: CallAudit | undefined;
}

/** One request of an RPC: who asks what, and where its work is done. */
export interface Operation extends Call {
  readonly method: DescMethodUnary;
  readonly message: Message;
  /** The environment of the caller's mode. */
  readonly environment: Environment;
  readonly context: HandlerContext;
}

/** Finds the tenant and mode for an RPC whose headers do not decide them. */
export type FindOwner<Request> = (request: Request) => Promise<Pick<Caller, "tenantId" | "mode">>;

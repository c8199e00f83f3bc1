import { getOption, hasOption } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { UnaryRequest } from "@connectrpc/connect";
import { http } from "#schemas/google/api/annotations_pb.js";
import { HEADERS } from "../../../contract/headers.ts";
import { AuditedRead, method as methodRules } from "../../../gen/paylink/options/v1/options_pb.ts";
import { isId } from "../../../contract/ids.ts";
import { namedToken } from "./named-token.ts";
import { isAdministrative, ofMethod } from "../../../contract/of-method.ts";

export const isRead = ofMethod(
  ({ idempotency }) => idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS,
);

const auditedRead = ofMethod((method) => getOption(method, methodRules).auditedRead);

/** The RPCs that a gateway calls on behalf of others without entries: of the merchants' API, and of payers' pages. */
const isForOthers = ofMethod((method) => {
  const rules = getOption(method, methodRules);
  return (hasOption(method, http) && !rules.isAudited) || rules.isForPayers;
});

/**
 * Returns true if the call has an audit entry. A read has one only if its RPC says so. A change has one if its caller
 * is a user or an operator, if its RPC is administrative, or if the caller has a named token. The exception is a
 * gateway's token that calls on behalf of merchants and payers.
 */
export function isAudited(request: UnaryRequest): boolean {
  const { method, header, contextValues } = request;
  if (isRead(method)) return isAuditedRead(request);
  if (header.has(HEADERS.actor) || isAdministrative(method)) return true;
  const token = contextValues.get(namedToken);
  return token !== undefined && !(token.isGateway && isForOthers(method));
}

function isAuditedRead({ method, header, contextValues }: UnaryRequest): boolean {
  const audited = auditedRead(method);
  if (audited === AuditedRead.UNSPECIFIED) return false;
  if (audited === AuditedRead.ALWAYS) return true;
  const isPerson = isId("usr", header.get(HEADERS.actor) ?? "");
  return !isPerson || contextValues.get(namedToken) !== undefined;
}

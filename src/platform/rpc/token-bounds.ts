import type { DescField } from "@bufbuild/protobuf";
import type { ContextValues, Interceptor, UnaryRequest } from "@connectrpc/connect";
import { HEADERS } from "../../../contract/headers.ts";
import { modeOfField, type Mode } from "./caller.ts";
import { PaylinkError } from "./errors.ts";
import { namedToken, type NamedToken } from "./named-token.ts";
import { isAdministrative, ofMethod } from "../../../contract/of-method.ts";

/**
 * Refuses calls outside the tenant or mode that a named token is bound to. The headers name the call's tenant and mode;
 * for an administrative call, its fields do. An administrative call without one is refused too. Error:
 * insufficient_permission.
 */
export function holdToBounds(): Interceptor {
  return (next) => (request) => {
    const token = request.contextValues.get(namedToken);
    if (token && isBound(token) && !request.stream) {
      const owner = isAdministrative(request.method) ? fieldsOf(request) : headersOf(request.header);
      if (!isWithin(token, owner)) throw outOfBounds();
    }
    return next(request);
  };
}

/** For RPCs that find the tenant and mode of a call by an id. Error: insufficient_permission. */
export function requireWithinBounds(values: ContextValues, owner: Whose): void {
  if (!areWithinBounds(values, owner)) throw outOfBounds();
}

/** Returns true if the call's token is bound to this tenant and mode, or not bound. */
export function areWithinBounds(values: ContextValues, owner: Whose): boolean {
  const token = values.get(namedToken);
  return token === undefined || isWithin(token, owner);
}

interface Whose {
  readonly tenantId: unknown;
  readonly mode: Mode | undefined;
}

/** Headers that are absent are checked later, or found by an id. */
interface CallOwner {
  readonly tenantId: unknown;
  readonly mode: unknown;
}

const ABSENT = Symbol("absent");

function isBound({ tenantId, mode }: NamedToken): boolean {
  return tenantId !== null || mode !== null;
}

function isWithin({ tenantId, mode }: NamedToken, owner: CallOwner): boolean {
  return isSame(tenantId, owner.tenantId) && isSame(mode, owner.mode);
}

function isSame(held: string | null, named: unknown): boolean {
  return held === null || named === ABSENT || named === held;
}

function headersOf(header: Headers): CallOwner {
  return { tenantId: header.get(HEADERS.tenant) ?? ABSENT, mode: header.get(HEADERS.mode) ?? ABSENT };
}

function fieldsOf({ method, message }: UnaryRequest): CallOwner {
  const { tenant, mode } = boundFields(method);
  const given = message as Readonly<Record<string, unknown>>;
  return {
    tenantId: tenant && given[tenant.localName],
    mode: mode && modeOfField(mode, given[mode.localName]),
  };
}

const boundFields = ofMethod(({ input }): { tenant: DescField | undefined; mode: DescField | undefined } => ({
  tenant: input.fields.find(({ name }) => name === "tenant_id"),
  mode: input.fields.find(({ name }) => name === "mode"),
}));

function outOfBounds(): PaylinkError {
  const message = "The core token is bound to a tenant or a mode, and this call is not for it alone.";
  return new PaylinkError("insufficient_permission", message);
}

import { getOption } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { method as methodRules } from "../gen/paylink/options/v1/options_pb.ts";
import { isAdministrative, ofMethod } from "./of-method.ts";

// Services that "*" covers only at the highest level: personal data, and money.
const APART: ReadonlySet<string> = new Set(["payers", "receipts", "refunds"]);

// Each level includes those before it.
const LEVELS = ["read", "write", "admin"] as const;
const HIGHEST = LEVELS.length - 1;

/** Permissions as "service:level"; the service "*" means all services. */
export type Permissions = readonly string[];

/** The permissions of the core's own token. */
export const EVERYTHING: Permissions = ["*:admin"];

/**
 * Returns the permission that an RPC requires, from its .proto: its own if it names one; admin if it is administrative,
 * read if it has no side effect, else write. An RPC of paylink.ledger.v1 has "ledger:read".
 */
export const permissionOf = ofMethod((method): string => {
  const service = method.parent.typeName.split(".")[1] ?? "";
  const { permission } = getOption(method, methodRules);
  if (permission !== "") return permission;
  if (isAdministrative(method)) return `${service}:admin`;
  const isRead = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  return `${service}:${isRead ? "read" : "write"}`;
});

/** Returns true if the held permissions cover the required one. */
export function isAllowed(held: Permissions, needed: string): boolean {
  const [service, level] = partsOf(needed);
  return held.some((permission) => {
    const [heldService, heldLevel] = partsOf(permission);
    if (heldService !== "*") return heldService === service && heldLevel >= level;
    return APART.has(service) ? heldLevel === HIGHEST : heldLevel >= level;
  });
}

/** Returns the first of the permissions that the held ones do not cover, or undefined if they cover all. */
export function lackingOf(held: Permissions, needed: Permissions): string | undefined {
  return needed.find((permission) => !isAllowed(held, permission));
}

function partsOf(permission: string): [service: string, level: number] {
  const [service = "", word] = permission.split(":");
  return [service, LEVELS.findIndex((level) => level === word)];
}

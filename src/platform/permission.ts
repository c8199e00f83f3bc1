import { getOption } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { method as methodRules } from "../../gen/paylink/options/v1/options_pb.ts";
import { isAdministrative, ofMethod } from "./of-method.ts";

// What "*" stands for only at the highest level: personal data, and money.
const APART: ReadonlySet<string> = new Set(["payers", "receipts"]);

// Each holds all before it.
const LEVELS = ["read", "write", "admin"] as const;
const HIGHEST = LEVELS.length - 1;

/** Permissions as "service:level"; the service "*" stands for every one. */
export type Permissions = readonly string[];

/** What whoever keeps the core itself may do. */
export const EVERYTHING: Permissions = ["*:admin"];

/**
 * What an RPC asks for, as its .proto says: its own permission if it has one; admin where it is administrative, read where
 * it has no side effect, else write. "ledger:read" for an RPC of paylink.ledger.v1.
 */
export const permissionOf = ofMethod((method): string => {
  const service = method.parent.typeName.split(".")[1] ?? "";
  const { permission } = getOption(method, methodRules);
  if (permission !== "") return permission;
  if (isAdministrative(method)) return `${service}:admin`;
  const isRead = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  return `${service}:${isRead ? "read" : "write"}`;
});

/** Whether what is held covers what is asked for. */
export function isAllowed(held: Permissions, asked: string): boolean {
  const [service, level] = partsOf(asked);
  return held.some((permission) => {
    const [heldService, heldLevel] = partsOf(permission);
    if (heldService !== "*") return heldService === service && heldLevel >= level;
    return APART.has(service) ? heldLevel === HIGHEST : heldLevel >= level;
  });
}

function partsOf(permission: string): [service: string, level: number] {
  const [service = "", word] = permission.split(":");
  return [service, LEVELS.findIndex((level) => level === word)];
}

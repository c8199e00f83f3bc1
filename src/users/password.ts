import { timingSafeEqual } from "node:crypto";
import { hash, parseOptions } from "@node-rs/argon2";
import { invalidRequest } from "../platform/rpc/errors.ts";
import { attemptSemaphore, tooManyAttempts, type AttemptOwner } from "./attempt-owner.ts";

const CHARACTERS_MIN = 12;
const CHARACTERS_MAX = 256;
// OWASP's parameters: 19 MiB, two passes, one lane. Argon2id is the library's default.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
// The form of a hash, of no password: computing one at each start would cost a process more than it is worth.
const DECOY_HASH = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$${"A".repeat(22)}$${"A".repeat(43)}`;
// A hash takes a processor and 19 MiB.
const hashes = attemptSemaphore();

/** Refuses an attempt that no hash could be computed for, before it counts. Error: too_many_attempts. */
export function requireHashRoom(owner: AttemptOwner): void {
  if (!hashes.hasRoom(owner)) throw tooManyAttempts();
}

/** Refuses a new password that is too short, too long, or equal to the address. Error: invalid_request on `param`. */
export function checkNewPassword(password: string, email: string, param: string): void {
  const normal = password.normalize("NFKC");
  const { length } = Array.from(normal);
  if (length < CHARACTERS_MIN || length > CHARACTERS_MAX) {
    throw invalidRequest(param, `${param} must be ${CHARACTERS_MIN} to ${CHARACTERS_MAX} characters.`);
  }
  if (normal.toLowerCase() === email) throw invalidRequest(param, `${param} must not be the address.`);
}

/**
 * Returns the hash of a password. Two Unicode forms of the same characters are the same password. Accounts with one
 * address share one salt, that of `others`, so that one slow hash compares a password with all of them.
 */
export async function hashPassword(
  password: string,
  owner: AttemptOwner,
  others: readonly string[] = [],
): Promise<string> {
  const [other] = others;
  const salt = other === undefined ? {} : { salt: saltOf(other) };
  return await hashes.run(owner, () => hash(password.normalize("NFKC"), { ...COST, ...salt }));
}

/**
 * Returns those of the hashes that match the password. Without hashes, it takes as long as with those of one address.
 */
export async function hashesOf(
  password: string,
  passwordHashes: readonly string[],
  owner: AttemptOwner,
): Promise<ReadonlySet<string>> {
  const normal = password.normalize("NFKC");
  const found = new Set<string>();
  const compared = passwordHashes.length > 0 ? passwordHashes : [DECOY_HASH];
  for (const [first = "", ...same] of Map.groupBy(compared, withoutDigest).values()) {
    const { memoryCost, timeCost, parallelism, outputLen } = parseOptions(first);
    const options = { memoryCost, timeCost, parallelism, outputLen, salt: saltOf(first) };
    const computed = await hashes.run(owner, () => hash(normal, options));
    for (const one of [first, ...same]) if (isSame(one, computed)) found.add(one);
  }
  return passwordHashes.length > 0 ? found : new Set();
}

/** Returns true if the password matches the hash. */
export async function isPassword(
  password: string,
  passwordHash: string,
  owner: AttemptOwner,
): Promise<boolean> {
  return (await hashesOf(password, [passwordHash], owner)).size > 0;
}

// The form of a hash: "$argon2id$v=19$m=19456,t=2,p=1$salt$digest".
function withoutDigest(passwordHash: string): string {
  return passwordHash.slice(0, passwordHash.lastIndexOf("$"));
}

function saltOf(passwordHash: string): Buffer {
  return Buffer.from(passwordHash.split("$")[4] ?? "", "base64");
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

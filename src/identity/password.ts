import { hash, verify } from "@node-rs/argon2";
import { invalidRequest } from "../platform/errors.ts";

const CHARACTERS_MIN = 12;
const CHARACTERS_MAX = 256;
// OWASP's: 19 MiB, two passes, one lane. Argon2id is the library's own choice.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Refuses a new password that is too short, too long, or the address itself. Error: invalid_request on `param`. */
export function checkNewPassword(password: string, email: string, param: string): void {
  const normal = password.normalize("NFKC");
  const { length } = Array.from(normal);
  if (length < CHARACTERS_MIN || length > CHARACTERS_MAX) {
    throw invalidRequest(param, `${param} must be ${CHARACTERS_MIN} to ${CHARACTERS_MAX} characters.`);
  }
  if (normal.toLowerCase() === email) throw invalidRequest(param, `${param} must not be the address.`);
}

/** What is kept of a password. Two spellings of the same characters are the same password. */
export async function hashPassword(password: string): Promise<string> {
  return await hash(password.normalize("NFKC"), COST);
}

/** Whether the password is the one; against no hash it takes the same time and is not. */
export async function isPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const isSame = await verify(passwordHash ?? (await nobodys), password.normalize("NFKC"));
  return isSame && passwordHash !== undefined;
}

const nobodys = hashPassword("nobody's password");

import { Secret, TOTP } from "otpauth";

const PERIOD_SECONDS = 30;
const DIGITS = 6;
const SECRET_BYTES = 20;
const ISSUER = "paylink";
// One step early or late is accepted: clocks differ, and users type slowly.
const STEPS_AROUND = 1;
const CODE = /^\d{6}$/;

/** Returns a new secret for time-based one-time passwords (RFC 6238), in base32. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** Returns the secret as a URI for authenticator apps. */
export function totpUri(secret: string, email: string): string {
  return totpOf(secret, email).toString();
}

/** Returns the time step of the code if it is valid now or one step around, else undefined. */
export function totpStep(secret: string, code: string, nowMs: number): number | undefined {
  const token = code.replaceAll(/\s/g, "");
  if (!CODE.test(token)) return undefined;
  const delta = totpOf(secret, "").validate({ token, timestamp: nowMs, window: STEPS_AROUND });
  return delta === null ? undefined : Math.floor(nowMs / 1000 / PERIOD_SECONDS) + delta;
}

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({
    issuer: ISSUER,
    label,
    algorithm: "SHA1",
    digits: DIGITS,
    period: PERIOD_SECONDS,
    secret: Secret.fromBase32(secret),
  });
}

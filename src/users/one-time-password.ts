import { Secret, TOTP } from "otpauth";

const PERIOD_SECONDS = 30;
const DIGITS = 6;
const SECRET_BYTES = 20;
const ISSUER = "paylink";
// One step early or late: clocks differ, and people type slowly.
const STEPS_AROUND = 1;
const CODE = /^\d{6}$/;

/** A new secret of time-based one-time passwords (RFC 6238), base32. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** The secret as authenticator apps read it. */
export function totpUri(secret: string, email: string): string {
  return totpOf(secret, email).toString();
}

/** The step of time whose code this is, near the present one; undefined when it is none. */
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

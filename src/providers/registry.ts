import { invalidRequest } from "../platform/rpc/errors.ts";
import { apiPix } from "./api-pix/registration.ts";
import { asaas } from "./asaas/registration.ts";
import { pagarme } from "./pagarme/registration.ts";
import type { ProviderKind, Registration } from "./registration.ts";

/** The providers of live mode. */
const REGISTRATIONS: readonly Registration[] = [apiPix, asaas, pagarme];

const byProfile = new Map(
  REGISTRATIONS.flatMap((registration) => registration.profiles.map((profile) => [profile, registration])),
);

/** Returns the provider of a stored account. Throws Error if no provider has the profile. */
export function registrationOf(profile: string): Registration {
  const registration = byProfile.get(profile);
  if (!registration) throw new Error(`no provider has the profile ${profile}`);
  return registration;
}

/** Returns the provider of a request's profile. Error: invalid_request on profile. */
export function registrationFor(profile: string, kind: ProviderKind): Registration {
  const registration = byProfile.get(profile);
  if (registration?.kinds.includes(kind)) return registration;
  const names = profilesOf(({ kinds }) => kinds.includes(kind));
  if (kind === "card") {
    throw invalidRequest("profile", `profile must be ${names.join(" or ")} for cards.`);
  }
  const problem = profile === "" ? "profile is missing." : `profile must be one of ${names.join(", ")}.`;
  throw invalidRequest("profile", problem);
}

/** Returns the profiles of the providers that fit. */
export function profilesOf(fits: (registration: Registration) => boolean): string[] {
  return REGISTRATIONS.filter(fits).flatMap(({ profiles }) => profiles);
}

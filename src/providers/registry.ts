import { invalidRequest } from "../platform/rpc/errors.ts";
import { apiPix } from "./api-pix/registration.ts";
import { asaas } from "./asaas/registration.ts";
import type { Decline, Meaning } from "./decline.ts";
import { meaningBy } from "./decline-code.ts";
import { pagarme } from "./pagarme/registration.ts";
import type { GivenMessages, ProviderKind, Registration } from "./registration.ts";
import { sandbox } from "./sandbox/registration.ts";
import { GivenSettings, type Setting } from "./settings.ts";

/** The providers of live mode. */
const REGISTRATIONS: readonly Registration[] = [apiPix, asaas, pagarme];

const byProfile = new Map(
  REGISTRATIONS.flatMap((registration) => registration.profiles.map((profile) => [profile, registration])),
);

if (byProfile.size < REGISTRATIONS.flatMap(({ profiles }) => profiles).length) {
  throw new Error("two providers have one profile");
}

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

/** What an account can be of. */
export interface Offered {
  readonly kind: ProviderKind;
  readonly profile: string;
  readonly settings: readonly Setting[];
}

/** Returns what an account can be of, by kind. */
export function offeredProviders(): Offered[] {
  return (["pix", "card"] as const).flatMap((kind) =>
    REGISTRATIONS.filter(({ kinds }) => kinds.includes(kind)).flatMap(({ profiles, settingsOf }) =>
      profiles.map((profile) => ({ kind, profile, settings: settingsOf(profile) })),
    ),
  );
}

/** Returns a request's settings of a profile. Error: invalid_request on settings if it has none. */
export function givenSettings(
  profile: string,
  kind: ProviderKind,
  { settings: values, ...messages }: GivenMessages & { readonly settings: Readonly<Record<string, string>> },
): GivenSettings {
  const { settingsOf, ofMessage } = registrationFor(profile, kind);
  const hasValues = Object.keys(values).length > 0;
  const message = ofMessage?.(profile, messages);
  if (hasValues && message) {
    throw invalidRequest("settings", "settings must be given without the provider's own message.");
  }
  const given = hasValues ? { values, paramOf: (name: string) => `settings.${name}` } : message;
  if (!given) throw invalidRequest("settings", "settings are missing: ListProviders has their names.");
  return new GivenSettings(profile, settingsOf(profile), given);
}

const declineCodes = new Map(
  [sandbox, ...REGISTRATIONS].map(({ name, declineCodes: codes }) => [name, codes]),
);

/** Returns what a decline means; payment_declined if its code is not known. */
export function meaningOf(decline: Decline): Meaning {
  return meaningBy(decline, declineCodes.get(decline.source));
}

import type { Clock } from "../../platform/time/clock.ts";
import type { Registration, Verified } from "../registration.ts";
import { ApiPixClient } from "./client.ts";
import { apiPixAccount, readConfig, isPixConfig, profileOf } from "./config.ts";
import { PROFILES } from "./profiles.ts";
import { ApiPixProvider } from "./provider.ts";
import { pixSettings, settingsOfMessage } from "./settings.ts";
import { verifyAccount } from "./verification.ts";

/** Banks with the central bank's API Pix. */
export const apiPix: Registration = {
  name: "api-pix",
  profiles: [...PROFILES.keys()],
  kinds: ["pix"],
  hasQueue: false,
  quotaOf: (profile) => PROFILES.get(profile)?.quota,
  statementOf: () => "pix",
  settingsOf: (profile) => pixSettings(profileOf(profile)),
  ofMessage: (profile, messages) => settingsOfMessage(profileOf(profile), messages),
  readConfig: async (_profile, given, policy, own) => await readConfig(given, policy, own),
  requireSame: (former, given) => {
    // Money of open charges goes to the key that they were made with.
    if (isPixConfig(former) && given.text("pix_key") !== former.pixKey) {
      throw given.wrong("pix_key", "must stay: for another key, retire the account and put a new one.");
    }
  },
  connect: (account, config, { clock, guard, limits, onSetAside }) => {
    if (!isPixConfig(config)) throw new Error(`${account.id} has the config of another provider`);
    const client = new ApiPixClient(apiPixAccount(account, config), { clock, guard, limits });
    return {
      kind: "pix",
      provider: new ApiPixProvider(client, clock, onSetAside),
      close: async () => await client.close(),
      verify: async (callbackUrl, isRegistered) => await verified(client, clock, callbackUrl, isRegistered),
    };
  },
};

async function verified(
  client: ApiPixClient,
  clock: Clock,
  callbackUrl: string,
  isRegistered: boolean,
): Promise<Verified> {
  const found = await verifyAccount(client, clock, isRegistered ? callbackUrl : undefined);
  const { missingScopes, registeredUrl, clockSkewSeconds } = found;
  const isAccepted = missingScopes.length === 0;
  return {
    isAccepted,
    missingScopes: [...missingScopes],
    isCallbackRegistered: registeredUrl === callbackUrl,
    ...(isAccepted ? {} : { problem: `The provider did not grant ${missingScopes.join(", ")}.` }),
    ...(clockSkewSeconds === null ? {} : { clockSkewSeconds: BigInt(clockSkewSeconds) }),
  };
}

import type { Registration, Verified } from "../registration.ts";
import { defined } from "../../../contract/defined.ts";
import { ApiPixClient } from "./client.ts";
import { apiPixAccount, readConfig, isPixConfig, profileOf } from "./config.ts";
import { isSameKey } from "./pix-key.ts";
import { PROFILES } from "./profiles.ts";
import { ApiPixProvider } from "./provider.ts";
import { pixSettings, settingsOfMessage } from "./settings.ts";
import { ReceivedStatement } from "./received-statement.ts";
import { ReportStatement } from "./report-statement.ts";
import { NEEDED_SCOPES } from "./token.ts";
import { verifyAccount, type Verification } from "./verification.ts";

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
  readConfig: async (_profile, given, policy, own, former) => await readConfig(given, policy, own, former),
  requireSame: (former, given) => {
    // Money of open charges goes to the key that they were made with.
    if (isPixConfig(former) && !isSameKey(given.text("pix_key"), former.pixKey)) {
      throw given.wrong("pix_key", "must stay: for another key, retire the account and put a new one.");
    }
  },
  connect: (account, config, { clock, guard, limits, ...told }) => {
    if (!isPixConfig(config)) throw new Error(`${account.id} has the config of another provider`);
    const client = new ApiPixClient(apiPixAccount(account, config), { clock, guard, limits });
    const provider = new ApiPixProvider(client, clock, told);
    const accountStatement = client.account.profile.hasReports
      ? new ReportStatement(client, clock, told.onSetAside)
      : new ReceivedStatement(provider, clock);
    return {
      kind: "pix",
      provider,
      accountStatement,
      close: async () => await client.close(),
      verify: async (callbackUrl, isRegistered, isReplaced) => {
        const found = await verifyAccount(client, clock, { callbackUrl, isRegistered, isReplaced });
        const answer = verified(found, callbackUrl);
        // Who registers has agreed to a change at the bank.
        const gap = isRegistered && answer.isAccepted ? await provider.clockGapSeconds() : undefined;
        return { ...answer, ...(gap === undefined ? {} : { chargeClockGapSeconds: BigInt(gap) }) };
      },
    };
  },
};

function verified(found: Verification, callbackUrl: string): Verified {
  const { missingScopes, registeredUrl, isOther, isKeyConfirmed, clockSkewSeconds } = found;
  const needed = missingScopes.filter((scope) => NEEDED_SCOPES.includes(scope));
  const problem =
    needed.length > 0
      ? `The provider did not grant ${needed.join(", ")}.`
      : isKeyConfirmed === false
        ? "The provider has another PIX key in place of the account's."
        : undefined;
  return {
    isAccepted: problem === undefined,
    missingScopes: [...missingScopes],
    isCallbackRegistered: registeredUrl === callbackUrl,
    ...defined({ problem }),
    ...(isOther && registeredUrl !== null ? { otherCallbackUrl: registeredUrl } : {}),
    ...(isKeyConfirmed === null ? {} : { isKeyConfirmed }),
    ...(clockSkewSeconds === null ? {} : { clockSkewSeconds: BigInt(clockSkewSeconds) }),
  };
}

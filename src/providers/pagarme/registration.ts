import type { Registration } from "../registration.ts";
import { PagarmeAccountStatement } from "./account-statement.ts";
import { PAGARME } from "./account.ts";
import { PagarmeClient } from "./client.ts";
import { pagarmeAccount, readPagarmeConfig, isPagarmeConfig } from "./config.ts";
import { PagarmeCards } from "./provider.ts";
import { PagarmeReturnList } from "./return-list.ts";
import { PAGARME_SETTINGS, settingsOfMessage } from "./settings.ts";
import { verifyAccount } from "./verification.ts";

const WITHOUT_KEYS = "There is no key of the provider's signatures, so no callback can be proven.";

/** Pagar.me: cards typed on the payer's page. */
export const pagarme: Registration = {
  name: PAGARME,
  profiles: [PAGARME],
  kinds: ["card"],
  hasQueue: false,
  callbackHeader: "x-webhook-asymmetric-signature",
  // What is not an issuer's code: its antifraud's, or a failure on the way to the issuer.
  declineCodes: { antifraud_reproved: { code: "card_declined", isReversible: true } },
  quotaOf: () => ({ callsPerMinute: 200, of: /\/(orders|charges)\b/ }),
  statementOf: () => "card_returns",
  settingsOf: () => PAGARME_SETTINGS,
  ofMessage: (_profile, messages) => settingsOfMessage(messages),
  readConfig: async (_profile, given, policy, own) =>
    await Promise.resolve(readPagarmeConfig(given, policy, own)),
  connect: ({ id }, config, { clock, guard, limits, onSetAside }) => {
    if (!isPagarmeConfig(config)) throw new Error(`${id} has the config of another provider`);
    const isSigning = config.callback.kind === "signature";
    const client = new PagarmeClient(pagarmeAccount(id, config), { clock, guard, limits });
    return {
      kind: "card",
      provider: new PagarmeCards(client),
      returnList: new PagarmeReturnList(client),
      accountStatement: new PagarmeAccountStatement(client, onSetAside),
      close: async () => await client.close(),
      verify: async (url) => {
        const { isRegistered, isWithoutKeys } = await verifyAccount(client, url, isSigning);
        return {
          isAccepted: !isWithoutKeys,
          isCallbackRegistered: isRegistered,
          ...(isWithoutKeys ? { problem: WITHOUT_KEYS } : {}),
        };
      },
      ...(isSigning
        ? { isSigned: async (signature, body) => await client.callbackKeys.isSigned(signature, body) }
        : {}),
    };
  },
};

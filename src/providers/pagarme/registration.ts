import { invalidRequest } from "../../platform/rpc/errors.ts";
import type { Registration } from "../registration.ts";
import { PAGARME } from "./account.ts";
import { PagarmeClient } from "./client.ts";
import { pagarmeAccount, readPagarmeConfig, isPagarmeConfig } from "./config.ts";
import { PagarmeCards } from "./provider.ts";
import { PagarmeReturnList } from "./return-list.ts";
import { verifyAccount } from "./verification.ts";

const WITHOUT_KEYS = "There is no key of the provider's signatures, so no callback can be proven.";

/** Pagar.me: cards typed on the payer's page. */
export const pagarme: Registration = {
  profiles: [PAGARME],
  kinds: ["card"],
  hasQueue: false,
  statementOf: () => "card_returns",
  readConfig: async (_profile, given, policy, own) => {
    if (!given.pagarme) throw invalidRequest(PAGARME, `${PAGARME} is missing.`);
    return await Promise.resolve(readPagarmeConfig(given.pagarme, policy, own));
  },
  connect: ({ id }, config, { clock, guard, limits }) => {
    if (!isPagarmeConfig(config)) throw new Error(`${id} has the config of another provider`);
    const client = new PagarmeClient(pagarmeAccount(id, config), { clock, guard, limits });
    return {
      kind: "card",
      provider: new PagarmeCards(client),
      returnList: new PagarmeReturnList(client),
      close: async () => await client.close(),
      verify: async (url) => {
        const { isRegistered, isWithoutKeys } = await verifyAccount(client, url);
        return {
          isAccepted: !isWithoutKeys,
          isCallbackRegistered: isRegistered,
          ...(isWithoutKeys ? { problem: WITHOUT_KEYS } : {}),
        };
      },
      isSigned: async (signature, body) => await client.callbackKeys.isSigned(signature, body),
    };
  },
};

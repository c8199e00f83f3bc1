import type { Registration } from "../registration.ts";
import { AsaasAccountStatement } from "./account-statement.ts";
import { ASAAS } from "./account.ts";
import { AsaasClient } from "./client.ts";
import { asaasAccount, readAsaasConfig, isAsaasConfig } from "./config.ts";
import { AsaasPix } from "./pix.ts";
import { AsaasCards } from "./provider.ts";
import { ASAAS_SETTINGS, settingsOfMessage } from "./settings.ts";
import { AsaasStatement } from "./statement.ts";
import { isInterrupted, verifyAccount } from "./verification.ts";

const INTERRUPTED =
  "The provider has stopped to call back after many failures: verify with --register to go on.";

/** Asaas: cards on its own page, and PIX. */
export const asaas: Registration = {
  name: ASAAS,
  profiles: [ASAAS],
  kinds: ["pix", "card"],
  hasQueue: true,
  callbackHeader: "asaas-access-token",
  statementOf: (kind) => kind,
  settingsOf: () => ASAAS_SETTINGS,
  ofMessage: (_profile, messages) => settingsOfMessage(messages),
  readConfig: async (_profile, given, policy, own) =>
    await Promise.resolve(readAsaasConfig(given, policy, own)),
  connect: ({ id, kind }, config, { clock, guard, limits, onSetAside }) => {
    if (!isAsaasConfig(config)) throw new Error(`${id} has the config of another provider`);
    const client = new AsaasClient(asaasAccount(id, config), { clock, guard, limits });
    const common = {
      accountStatement: new AsaasAccountStatement(client, kind, onSetAside),
      close: async () => await client.close(),
      verify: async (url: string, isRegistered: boolean) => {
        const found = await verifyAccount(client, { url, token: config.callback.secret }, isRegistered);
        return {
          isAccepted: !found.isInterrupted,
          isCallbackRegistered: found.isRegistered,
          isInterrupted: found.isInterrupted,
          ...(found.isInterrupted ? { problem: INTERRUPTED } : {}),
        };
      },
      isInterrupted: async (url: string) => await isInterrupted(client, { url }),
    };
    if (kind === "pix") return { ...common, kind, provider: new AsaasPix(client, onSetAside) };
    const statement = new AsaasStatement(client, "CREDIT_CARD", onSetAside);
    return { ...common, kind, provider: new AsaasCards(client), statement };
  },
};

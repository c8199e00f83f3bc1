import { configAt } from "../../provider-accounts/live-merchant.ts";
import type { Scenes } from "./scenery.ts";

const SCOPES = ["cob.write", "cob.read", "pix.write", "pix.read", "webhook.write", "webhook.read"];

export const providersScenes: Scenes = {
  PutProviderAccount: async (as, { connected }) => [(await connected(as)).id],
  VerifyProviderAccount: async (as, { connected, providers }) => {
    const { id } = await connected();
    await providers.verifyProviderAccount({ id }, as);
    return [id];
  },
  "VerifyProviderAccount that sets an address, and is not accepted": async (
    as,
    { bank, connected, providers },
  ) => {
    const { id } = await connected();
    bank.bank.grant(["webhook.write"]);
    await providers.verifyProviderAccount({ id, isRegistered: true }, as);
    bank.bank.grant(SCOPES);
    return [id];
  },
  RotateProviderAccount: async (as, { bank, connected, providers }) => {
    const { id } = await connected();
    await providers.rotateProviderAccount({ id, config: configAt(bank) }, as);
    return [id];
  },
  RetireProviderAccount: async (as, { connected, providers }) => {
    const { id } = await connected();
    await providers.retireProviderAccount({ id }, as);
    return [id];
  },
  SweepProviderAccount: async (as, { connected, providers }) => {
    const { id } = await connected();
    await providers.sweepProviderAccount({ id }, as);
    return [id];
  },
  SettleUnknownMoney: async (as, { connected, providers, rows }) => {
    const { id } = await connected();
    await rows.run(
      `INSERT INTO live.unknown_money (tenant_id, account_id, end_to_end_id, amount_minor, received_at, created_at)
        SELECT tenant_id, id, 'E' || id, 100, now(), now() FROM live.provider_account WHERE id = $1`,
      [id],
    );
    await providers.settleUnknownMoney({ accountId: id, endToEndId: `E${id}`, note: "sent back" }, as);
    return [id];
  },
  TakeCallback: async (as, { bank, connected, merchant, providers }) => {
    const { id, secret } = await connected();
    await providers.verifyProviderAccount({ id, isRegistered: true }, merchant.as);
    const put = bank.bank.requests.findLast(({ text }) => text.includes("webhookUrl"));
    const { webhookUrl } = JSON.parse(put?.text ?? "") as { webhookUrl: string };
    const hmac = new URL(webhookUrl).searchParams.get("hmac") ?? "";
    await providers.takeCallback({ secret, hmac, body: Buffer.from("{}") }, as);
    return [id];
  },
};

import pg from "pg";
import { expect, test } from "vitest";
import { judgeProviders, lookAtProviders, type LiveAccounts } from "../../../cli/operate/doctor/providers.ts";
import { ProviderKind } from "../../../gen/paylink/providers/v1/providers_pb.ts";
import { configAt, startLive } from "../../provider-accounts/live-merchant.ts";
import { forFile } from "../../support/for-file.ts";
import { createMerchant } from "../../support/merchant.ts";
import { finding } from "./examined.ts";

const NOW = Date.parse("2031-03-07T12:00:00Z");
const DAY_MS = 86_400_000;
const account = (days: number, isDemo = false) => ({
  id: "pac_1",
  profile: "efi",
  isDemo,
  certificateEndsAt: new Date(NOW + days * DAY_MS),
  interruptedAt: null,
});
const judged = (given: Partial<LiveAccounts>) =>
  judgeProviders({ accounts: [], unknownCount: 0, unpayableTenants: [], ...given }, NOW);

test("no account, and accounts whose certificates last, are fine", () => {
  expect(judged({})).toMatchObject([{ status: "ok", found: "live: none, so its links cannot be paid yet" }]);
  expect(judged({ accounts: [account(31)] })).toMatchObject([{ status: "ok", found: "live: 1 account" }]);
});

test.each([
  [30, /^the certificate of pac_1 \(efi\) ends within 30 days, at 2031-04-06T12:00:00.000Z$/],
  [7, /ends within 7 days, at 2031-03-14T/],
  [1, /ends within a day, at 2031-03-08T/],
  [0, /has ended, at 2031-03-07T/],
])("a certificate that ends in %s days is found with its account and its date", (days, found) => {
  expect(judged({ accounts: [account(days), account(90)] })).toEqual([
    finding("providers", "warning", found, /providers rotate pac_1 --config FILE/),
  ]);
});

test("an account without a certificate is fine, and one that is called back no more is found", () => {
  const cards = { ...account(0), id: "pac_2", profile: "asaas", certificateEndsAt: null };
  expect(judged({ accounts: [cards] })).toMatchObject([{ status: "ok" }]);
  expect(judged({ accounts: [{ ...cards, interruptedAt: new Date(NOW) }] })).toEqual([
    finding(
      "providers",
      "warning",
      /^asaas has stopped to call back for pac_2, as was found at 2031-03-07T12/,
      /providers verify pac_2 --register/,
    ),
  ]);
});

test("money without a charge and a demo bank are found", () => {
  expect(judged({ accounts: [account(90, true)], unknownCount: 2 })).toEqual([
    finding("providers", "warning", /^2 amounts on accounts of live mode belong/, /providers unknown/),
    finding("providers", "warning", /^pac_1: a bank on this machine/, /PROVIDER_ALLOW_LOOPBACK/),
  ]);
});

test("tenants with open live links that no account can charge are found, until one is connected", async () => {
  const live = await forFile(startLive());
  const client = new pg.Client({ connectionString: live.service.databaseUrl });
  await client.connect();
  const found = async () => {
    const looked = await lookAtProviders(client);
    return looked && judgeProviders({ ...looked, accounts: [] }, NOW);
  };
  const merchant = await createMerchant(live.service, {}, "live");
  expect(await found()).toMatchObject([{ status: "ok" }]);
  await merchant.newLink();
  const unpayable = (id: string) =>
    finding(
      "providers",
      "warning",
      new RegExp(`^no account can charge open live links of ${id}$`),
      /providers put/,
    );
  expect(await found()).toEqual([unpayable(merchant.tenant.id)]);
  const pix = { kind: ProviderKind.PIX, profile: "bacen", config: configAt(live) };
  await live.providers.putProviderAccount(pix, merchant.as);
  expect(await found()).toMatchObject([{ status: "ok" }]);
  await merchant.newLink({ payment_methods: ["card"] });
  expect(await found()).toEqual([unpayable(merchant.tenant.id)]);
  await client.end();
});

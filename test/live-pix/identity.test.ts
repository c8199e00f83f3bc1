import { lookup } from "node:dns";
import { describe, expect, test } from "vitest";
import { ProviderKind } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { configAt, type LiveMerchant } from "../provider-accounts/live-merchant.ts";
import { forFile } from "../support/for-file.ts";
import type { CoreSettings } from "../support/core-options.ts";
import { secondService } from "../support/service.ts";
import { PAID_ONCE } from "./outcome.ts";
import { Scene } from "./scene.ts";

const scene = await forFile(Scene.start());
const { live } = scene;
const { bank } = live;
const AT_THIS_MACHINE: CoreSettings = {
  allowLoopbackProviders: true,
  lookup: (name, options, callback) => lookup(name, { ...options, family: 4 }, callback),
};

/** Retires the merchant's account and puts one at a client of the bank. Returns its id. */
async function putInstead({ accountId, as }: LiveMerchant, config: object): Promise<string> {
  await live.providers.retireProviderAccount({ id: accountId }, as);
  const request = { kind: ProviderKind.PIX, profile: "bacen", config: configAt(live, config) };
  return (await live.providers.putProviderAccount(request, as)).account?.id ?? "";
}

/** Pays a charge with money whose id the other bank gave, too. */
function payWithId(reference: string, endToEndId: string): void {
  Object.assign(bank.pay(reference, 15_990n), { endToEndId });
}

const sweep = async (id: string, { as }: LiveMerchant) =>
  await live.providers.sweepProviderAccount({ id }, as);

describe("the identity of money is the account and its id there", () => {
  test("the same id at two accounts of a tenant counts once at each", async () => {
    const merchant = await scene.merchant();
    const first = await merchant.start();
    const { endToEndId } = bank.pay(first.reference, 15_990n);
    await scene.pass(60);
    const id = await putInstead(merchant, { clientId: "Client_Id_6", pixKey: "loja6@example.com" });
    const second = await merchant.start();
    payWithId(second.reference, endToEndId);
    for (const seconds of [60, 60, 3700]) await scene.pass(seconds);
    await sweep(id, merchant);
    expect(await scene.outcome(merchant, first.paymentId)).toEqual(PAID_ONCE);
    expect(await scene.outcome(merchant, second.paymentId)).toEqual(PAID_ONCE);
    expect((await live.providers.listUnknownMoney({}, merchant.as)).money).toEqual([]);
  });

  test("the same id at two charges of one account counts once, also when two workers find it at once", async () => {
    const merchant = await scene.merchant();
    const [first, second] = [await merchant.start(), await merchant.start()];
    const { endToEndId } = bank.pay(first.reference, 15_990n);
    payWithId(second.reference, endToEndId);
    const other = await secondService(live.service, AT_THIS_MACHINE);
    await scene.pass(60, []);
    await Promise.all([live.service, other].map(async ({ core }) => await core.tasks.checkCharges()));
    await other.close();
    await scene.pass(60);
    const outcomes = [first, second].map(async ({ paymentId }) => await scene.outcome(merchant, paymentId));
    const [one, two] = (await Promise.all(outcomes)).toSorted((a, b) => b.money - a.money);
    expect(one).toEqual(PAID_ONCE);
    expect(two).toMatchObject({ money: 0, entries: [], exceptions: ["duplicate 15990 0"] });
  });
});

test("a rotated account keeps what it has counted", async () => {
  const merchant = await scene.merchant();
  const { paymentId, reference } = await merchant.start();
  bank.pay(reference, 15_990n);
  await scene.pass(60);
  const { accountId: id, clientId } = merchant;
  const pixKey = `loja${clientId.at(-1)}@example.com`;
  await live.providers.rotateProviderAccount(
    { id, config: configAt(live, { clientId, pixKey }) },
    merchant.as,
  );
  expect(await sweep(id, merchant)).toMatchObject({ unknownCount: 0n });
  expect(await scene.outcome(merchant, paymentId)).toEqual(PAID_ONCE);
});

test("money of a retired account's charges is not unknown on the account that took its place", async () => {
  const merchant = await scene.merchant();
  const { paymentId, reference } = await merchant.start();
  const { clientId } = merchant;
  const id = await putInstead(merchant, { clientId, pixKey: `loja${clientId.at(-1)}@example.com` });
  bank.pay(reference, 15_990n);
  await scene.pass(120, ["checkCharges"]);
  expect(await sweep(id, merchant)).toMatchObject({ moneyCount: 1n, unknownCount: 0n });
  expect(await scene.outcome(merchant, paymentId)).toEqual(PAID_ONCE);
});

import { describe, expect, test } from "vitest";
import { Metrics } from "../../cli/observe/metrics.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { forFile } from "../support/for-file.ts";
import { API_KEY, connectCards, startCards } from "./card-merchant.ts";

const cards = await forFile(startCards());
const { asaas, service, providers } = cards;
const merchant = await connectCards(cards);
const { accountId: id, as } = merchant;
await providers.verifyProviderAccount({ id, isRegistered: true }, as);

const HOUR = 3600;
const NOTICE = "has stopped to call back";
const asked = () => asaas.requests.filter(({ call }) => call === "listWebhooks").length;
const interruptedAt = async () =>
  (await providers.listProviderAccounts({}, as)).accounts[0]?.callbacksInterruptedAt;

/** Returns pages of the console as an owner who has just signed in sees them. */
async function pages(...paths: readonly string[]): Promise<string[]> {
  const owner = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "owner"));
  const shown = [];
  for (const path of paths) shown.push((await owner.get(`/console/live${path}?lang=en`)).body);
  return shown;
}
const noticed = async (): Promise<boolean[]> =>
  (await pages("", "/providers", `/providers/${id}`)).map((body) => body.includes(NOTICE));

async function looked(hours: number): Promise<void> {
  service.clock.advance(hours * HOUR);
  asaas.clock.advance(hours * HOUR);
  await service.core.tasks.checkQueues();
}

/** The service does not answer its callbacks: fifteen failures in a row stop the queue. */
function interrupt(): void {
  for (const webhook of asaas.account(API_KEY).webhooks.values()) webhook.isInterrupted = true;
}

async function gauge(): Promise<string | undefined> {
  const metrics = new Metrics("worker", "1");
  metrics.providers.set("live", await service.core.providerStanding());
  return /paylink_provider_interrupted_callbacks\{mode="live"\} (\d)/.exec(
    await metrics.registry.metrics(),
  )?.[1];
}

describe("a queue of callbacks", () => {
  test("is looked at four times a day, by one call", async () => {
    const before = asked();
    for (let hour = 0; hour < 24; hour++) await looked(1);
    expect(asked() - before).toBe(4);
    expect([await interruptedAt(), await gauge()]).toEqual([undefined, "0"]);
  });

  test("that was interrupted is found, shown and counted, until it runs again", async () => {
    expect(await noticed()).toEqual([false, false, false]);
    interrupt();
    await looked(6);
    const found = await interruptedAt();
    expect([found === undefined, await gauge()]).toEqual([false, "1"]);
    expect(await noticed()).toEqual([true, true, true]);
    await looked(1);
    expect(await interruptedAt()).toEqual(found);
    for (const webhook of asaas.account(API_KEY).webhooks.values()) webhook.isInterrupted = false;
    await looked(1);
    expect([await interruptedAt(), await gauge()]).toEqual([undefined, "0"]);
    expect(await noticed()).toEqual([false, false, false]);
  });

  test("that is set to go on by a verification is clear at once", async () => {
    interrupt();
    const { account } = await providers.verifyProviderAccount({ id }, as);
    expect(account?.callbacksInterruptedAt).toBeDefined();
    expect(await gauge()).toBe("1");
    const { account: after } = await providers.verifyProviderAccount({ id, isRegistered: true }, as);
    expect([after?.callbacksInterruptedAt, await gauge()]).toEqual([undefined, "0"]);
  });

  test("is not asked about while few calls are left, nor each minute after a fault", async () => {
    await looked(13);
    asaas.fail("listWebhooks", { kind: "status", status: 500 });
    const before = asked();
    await expect(looked(6)).rejects.toThrow("queues of callbacks could not be looked at");
    await looked(0.5);
    expect(asked() - before).toBe(1);
    await looked(0.5);
    expect(asked() - before).toBe(2);
    service.clock.advance(6 * HOUR - 1);
    asaas.account(API_KEY).quota.used = 24_900;
    await merchant.start();
    const scarce = asked();
    await expect(looked(1 / HOUR)).rejects.toThrow("queues of callbacks could not be looked at");
    expect(asked()).toBe(scarce);
  });

  test("of a retired account is not asked about and not counted", async () => {
    await looked(13);
    interrupt();
    await looked(6);
    expect(await gauge()).toBe("1");
    await providers.retireProviderAccount({ id }, as);
    const before = asked();
    await looked(7);
    expect([asked(), await gauge()]).toEqual([before, "0"]);
    expect(await noticed()).toEqual([false, false, false]);
  });
});

import { beforeEach, describe, expect, test } from "vitest";
import { dayAt, daysText } from "../../contract/day.ts";
import { Metrics } from "../../cli/observe/metrics.ts";
import type { Fault } from "../../tools/bank/faults.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { advance, connectMerchant, passUntilNoon, startLive, type LiveMerchant } from "./live-merchant.ts";

const live = await forFile(startLive());
const rows = await forFile(new DatabaseRows(live.service.databaseUrl).open());
const DAY_MS = 86_400_000;
const DAY_SECONDS = 86_400;
const REFUSED: Fault = {
  kind: "text",
  status: 400,
  text: '{"type":"https://pix.bcb.gov.br/api/v2/error/PixConsultaInvalida","status":400}',
};
const NO_ROUTE: Fault = { kind: "text", status: 404, text: '{"message":"no Route matched"}' };

beforeEach(() => {
  passUntilNoon(live);
  live.bank.faults.draw = () => undefined;
  live.service.faults.length = 0;
  live.bank.requests.length = 0;
});

/** The bank answers so to each statement that begins in these. */
function fail(fault: Fault, isConcerned: (from: number) => boolean): void {
  live.bank.faults.draw = (call, query) =>
    call === "statement" && isConcerned(Date.parse(query.get("inicio") ?? "")) ? fault : undefined;
}

const nowMs = () => live.service.clock.nowMs();
const dayOf = (ms: number) => dayAt(ms).toString();
const returnsAsked = () =>
  live.bank.requests.flatMap(({ query }) =>
    query["devolucaoPresente"] === "true" ? [Date.parse(query["inicio"] ?? "")] : [],
  );
const sweep = async ({ accountId: id, as }: LiveMerchant) =>
  await live.providers.sweepProviderAccount({ id }, as);
const unreadDays = async ({ as }: LiveMerchant) =>
  (await live.providers.listProviderAccounts({}, as)).accounts[0]?.unreadDays;

/** Returns pages of the console as an owner sees them who has just signed in. */
async function pages({ tenant }: LiveMerchant, ...paths: readonly string[]): Promise<string[]> {
  const owner = new ConsoleClient(live.service, await createUser(live.service, tenant.id, "owner"));
  const shown = [];
  for (const path of paths) shown.push((await owner.get(`/console/live${path}?lang=en`)).body);
  return shown;
}

async function gauge(): Promise<string | undefined> {
  const metrics = new Metrics("worker", "1");
  metrics.providers.set("live", await live.service.core.providerStanding());
  return /paylink_provider_unread_statements\{mode="live"\} (\d)/.exec(await metrics.registry.metrics())?.[1];
}

describe("input 15: a sweep whose oldest day the bank refuses", () => {
  test("reads the rest, the newest day first, and tells the day until it is read", async () => {
    const merchant = await connectMerchant(live);
    const { paymentId, reference } = await merchant.start();
    live.bank.pay(reference, 15_990n);
    advance(live, 3 * DAY_SECONDS);
    await rows.run("UPDATE live.charge SET is_open = false WHERE payment_id = $1", [paymentId]);
    const oldest = nowMs() - 100 * DAY_MS;
    fail(REFUSED, (from) => from < oldest + DAY_MS);
    const expected = [...new Set([dayOf(oldest), dayOf(oldest + DAY_MS - 1)])];
    const swept = await sweep(merchant);
    expect(swept.unreadDays).toEqual(expected);
    expect(await merchant.status(paymentId)).toBe("succeeded");
    const asked = returnsAsked();
    expect(asked).toHaveLength(100);
    expect(asked).toEqual(asked.toSorted((a, b) => b - a));

    expect(await unreadDays(merchant)).toEqual(expected);
    expect(await gauge()).toBe("1");
    const places = ["", "/providers", `/providers/${merchant.accountId}`];

    for (const body of await pages(merchant, ...places)) expect(body).toContain("was not read");

    expect(live.service.faults).toContainEqual(
      expect.objectContaining({ account_id: merchant.accountId, days: daysText(expected) }),
    );

    live.bank.faults.draw = () => undefined;
    expect((await sweep(merchant)).unreadDays).toEqual([]);
    expect([await unreadDays(merchant), await gauge()]).toEqual([[], "0"]);
    for (const body of await pages(merchant, ...places)) expect(body).not.toContain("was not read");
    live.service.faults.length = 0;
  });

  test("of received money asks for it again with the next one, and finds its money then", async () => {
    const merchant = await connectMerchant(live);
    await sweep(merchant);
    const { paymentId, reference } = await merchant.start();
    live.bank.pay(reference, 15_990n);
    await rows.run("UPDATE live.charge SET is_open = false WHERE payment_id = $1", [paymentId]);
    const paidAt = nowMs();
    advance(live, 3 * DAY_SECONDS);
    fail(REFUSED, (from) => from < paidAt + 3600_000);
    const { unreadDays: refused } = await sweep(merchant);
    expect(refused).toContain(dayOf(paidAt));
    expect(refused).not.toContain(dayOf(paidAt + 2 * DAY_MS));
    expect(await merchant.status(paymentId)).toBe("pending");
    live.bank.faults.draw = () => undefined;
    advance(live, 3600);
    expect((await sweep(merchant)).unreadDays).toEqual([]);
    expect(await merchant.status(paymentId)).toBe("succeeded");
    expect(await unreadDays(merchant)).toEqual([]);
    live.service.faults.length = 0;
  });
});

describe("a statement whose newest day is refused", () => {
  test.each([
    ["by the bank", REFUSED],
    ["with a 404 that is not the bank's own", NO_ROUTE],
  ])("%s is a fault of the account, told after three readings, until it is read", async (_whose, fault) => {
    const merchant = await connectMerchant(live);
    await sweep(merchant);
    advance(live, 3700);
    fail(fault, () => true);
    const failed = async () => await sweep(merchant).catch((error: unknown) => String(error));
    for (let count = 0; count < 3; count++) {
      expect(await unreadDays(merchant)).toEqual([]);
      expect(await failed()).toContain("The provider did not answer as it should");
    }
    expect(await unreadDays(merchant)).toEqual([dayOf(nowMs())]);
    const [page = ""] = await pages(merchant, "/providers");
    expect(page).toContain("was not read");
    live.bank.faults.draw = () => undefined;
    await sweep(merchant);
    expect(await unreadDays(merchant)).toEqual([]);
    live.service.faults.length = 0;
  });
});

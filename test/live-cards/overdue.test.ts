import { describe, expect, test } from "vitest";
import { Metrics } from "../../cli/observe/metrics.ts";
import { dayAt } from "../../contract/day.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { API_KEY, connectCards, startCards } from "./card-merchant.ts";
import { days, PaidCard } from "./paid-card.ts";

const cards = await forFile(startCards([API_KEY, `${API_KEY}2`, `${API_KEY}3`]));
const { asaas, service } = cards;
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

type CardMerchant = Awaited<ReturnType<typeof connectCards>>;

async function gauges(): Promise<Record<string, number>> {
  const metrics = new Metrics("worker", "1");
  metrics.providers.setReceivables("live", await service.core.receivablesStanding());
  const text = await metrics.registry.metrics();
  const found = text.matchAll(/paylink_card_(?<name>\w+)\{mode="live"\} (?<value>\d+)/g);
  return Object.fromEntries([...found].map(({ groups }) => [groups?.["name"], Number(groups?.["value"])]));
}

async function home(merchant: CardMerchant, path = ""): Promise<string> {
  const client = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "viewer"));
  return (await client.get(`/console/live${path}?lang=en`)).body;
}
const overdue = async ({ ledger, as }: CardMerchant) => (await ledger.listOverdueReceivables({}, as)).overdue;

describe("a dispute that can be answered", () => {
  test("is urgent in its last three days, and no more after them", async () => {
    const merchant = await connectCards(cards, `${API_KEY}3`);
    const card = await PaidCard.pay(cards, merchant);
    await days(cards, 0);
    asaas.chargeback(card.firstId);
    await card.tell();
    const deadline = async (inDays: number): Promise<void> => {
      const day = dayAt(service.clock.nowMs()).add({ days: inDays }).toString();
      await rows.run("UPDATE live.dispute SET respond_by = $1", [day]);
    };
    for (const [inDays, count] of [
      [4, 0],
      [3, 1],
      [0, 1],
      [-1, 0],
    ] as const) {
      await deadline(inDays);
      expect((await gauges())["dispute_deadlines"]).toBe(count);
    }
    // A page has the day of the machine, which is the service's or the one before it.
    for (const [inDays, isUrgent] of [
      [0, true],
      [10, false],
    ] as const) {
      await deadline(inDays);
      expect((await home(merchant)).includes("deadline is within three days: 1")).toBe(isUrgent);
    }
  });
});

describe("money that a card provider does not pay on its day", () => {
  test("is shown and counted after three days, for its merchant alone, until it is there", async () => {
    const merchant = await connectCards(cards);
    const other = await connectCards(cards, `${API_KEY}2`);
    const card = await PaidCard.pay(cards, merchant, 2);
    await days(cards, 0);
    const expectedOn = card.atProvider[0]?.creditOn ?? "";
    const today = dayAt(service.clock.nowMs());
    const until = today.until(Temporal.PlainDate.from(expectedOn)).days;
    // The provider forgets to pay: its clock stays where it is.
    const pass = async (count: number): Promise<void> => {
      service.clock.advance(count * 86_400);
      await service.core.tasks.readReceivables();
    };
    for (let day = 0; day < until + 3; day++) await pass(1);
    expect([await overdue(merchant), await gauges()]).toEqual([
      [],
      { overdue_payments: 0, dispute_deadlines: 0 },
    ]);
    await pass(1);
    expect(await overdue(merchant)).toMatchObject([{ paymentId: card.id, expectedOn }]);
    expect(await overdue(other)).toEqual([]);
    expect(await gauges()).toEqual({ overdue_payments: 1, dispute_deadlines: 0 });
    expect(await home(merchant)).toContain("did not pay out on their day: 1");
    expect(await home(merchant, "/payments/overdue")).toContain(card.id);
    expect(await home(other)).not.toContain("did not pay out on their day");
    asaas.clock.set(new Date(service.clock.nowMs()));
    asaas.keepTime();
    await pass(1);
    expect([await overdue(merchant), await gauges()]).toEqual([
      [],
      { overdue_payments: 0, dispute_deadlines: 0 },
    ]);
    expect(await home(merchant, "/payments/overdue")).toContain("Nothing is overdue");
  });
});

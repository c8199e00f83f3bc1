import { expect, test } from "vitest";
import { END_SECONDS } from "../../src/providers/sandbox/aftermath.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";
import { Books } from "./books.ts";

const service = await forFile(startService());

test("a day of rehearsed returns, disputes and refunds is even, and its column adds up", async () => {
  const books = await Books.of(service);
  const { merchant } = books;
  const first = books.nextDay();
  const made = [
    ["pix", "returned"],
    ["card", "returned"],
    ["card", "return_reversed"],
    ["card", "disputed"],
    ["card", "dispute_won"],
    ["card", "dispute_lost"],
  ] as const;
  for (const [payment_method, afterwards] of made) {
    expect((await merchant.pay({ amount: 10_000 }, { payment_method, afterwards })).status).toBe(200);
  }
  const refunded = await books.pay(20_000);
  for (const amount of [101, 102, 103, 500]) {
    expect((await merchant.api.post(`/v1/payments/${refunded}/refunds`, { amount })).status).toBe(201);
  }
  for (let round = 0; round < 3; round++) {
    service.clock.advance(2 * END_SECONDS);
    await service.core.tasks.checkCharges();
    await service.core.tasks.readReceivables();
    await service.core.tasks.checkRefunds();
  }
  const reversed = await merchant.api.get(`/v1/payments?from=${first}&to=${first}`);
  expect(reversed.body.data).toHaveLength(made.length + 1);
  books.nextDay();
  books.nextDay();
  await books.work();
  expect(await books.report(first)).toEqual({ state: "even", differences: [] });
  const { ours, theirs } = await books.day(first);
  for (const column of [ours, theirs]) {
    expect(column).toMatchObject({ incoming: 80_000n, returns: -30_603n });
  }
  expect(theirs?.stated).toBe(theirs?.closing);
});

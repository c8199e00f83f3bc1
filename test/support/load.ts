import { expect } from "vitest";
import type { Merchant } from "./merchant.ts";
import type { Receiver } from "./receiver.ts";
import { randomFor } from "./seed.ts";

const CHUNK = 25;
// The first retries at once, so that what fails half of the time is through in seconds; many, so that luck runs out.
export const schedule = [0, ...Array.from({ length: 39 }, () => 0.2)];

/** Payments of three links of different amounts, a chunk at a time. */
export async function payMany(merchants: readonly Merchant[], count: number): Promise<void> {
  const links = await Promise.all(
    merchants.flatMap((merchant) =>
      [15_990, 100_000, 1234].map(async (amount) => ({
        merchant,
        id: await merchant.newLink({ campaign: true, amount, reference: `order-${amount}` }),
      })),
    ),
  );
  for (let made = 0; made < count; made += CHUNK) {
    await Promise.all(
      Array.from({ length: CHUNK }, async (_, index) => {
        const { merchant, id } = links[(made + index) % links.length] as (typeof links)[0];
        const payment_method = index % 4 === 0 ? "card" : "pix";
        expect((await merchant.simulate(id, { payment_method })).status).toBe(200);
      }),
    );
  }
}

/** Half of its answers are 500; `answered` holds the events that it took. */
export function failHalf(receiver: Receiver, answered: Set<string>): void {
  const random = randomFor("answers");
  receiver.answer((received, response) => {
    const isGood = random.fraction() < 0.5;
    if (isGood) answered.add(received.eventId);
    response.writeHead(isGood ? 200 : 500).end();
  });
}

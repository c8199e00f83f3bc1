import { expect, test } from "vitest";
import { nameLookup } from "../../src/webhooks/name-lookup.ts";
import { Sender, type Answer } from "../../src/webhooks/sender.ts";
import { startCostlyChain, startCostlyDhe } from "../support/costly-handshakes.ts";
import { forFile } from "../support/for-file.ts";
import { startReceiver } from "../support/receiver.ts";

const sender = new Sender({
  policy: { isLoopbackAllowed: true },
  lookup: nameLookup(),
  timeoutMs: 60_000,
});
const dhe = await forFile(startCostlyDhe());
// The whole of it is verified, and the longer one exceeds what a handshake may have.
const chain = await forFile(startCostlyChain(30));
const longChain = await forFile(startCostlyChain(70));
const receiver = await forFile(startReceiver());

const ATTEMPTS = 10;
// Ten handshakes with these servers take 1.5 to 9 s of a thread.
const OWN_MS_MAX = 750;
const body = Buffer.from("{}");

test.each([
  ["numbers of 10,000 bits", dhe],
  ["a chain of long exponents", chain],
  ["a chain that is too long", longChain],
])("a receiver's handshake with %s takes none of the time of others", async (_name, { port }) => {
  // The thread has started.
  await sender.post("tnt_a", "https://localhost:1/", {}, body);
  const before = process.threadCpuUsage();
  const attempts: Promise<Answer>[] = Array.from(
    { length: ATTEMPTS },
    async () => await sender.post("tnt_a", `https://localhost:${port}/`, {}, body),
  );
  const other = await sender.post("tnt_b", receiver.url, {}, body);
  for (const answer of await Promise.all(attempts)) expect(answer).toMatchObject({ error: "tls_failed" });
  expect(other.error).toBeNull();
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(OWN_MS_MAX);
});

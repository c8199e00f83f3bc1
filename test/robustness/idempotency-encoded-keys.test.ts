import { expect, test } from "vitest";
import { Api } from "../support/api.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { isReplay } from "../support/replays.ts";
import { secondService, startService } from "../support/service.ts";

const URL = "/v1/payment_links";
const LINK = { amount: 15_990, currency: "BRL" };

// A gateway beside its core, and one that calls it over HTTP, on one database.
const apart = await forFile(startService("network"));
const together = await forFile(secondService(apart));
const tenant = await apart.createTenant();

/** A key's bytes in UTF-8, as Node reads them from a socket. */
const onTheWire = (key: string): string => Buffer.from(key).toString("latin1");

test.each(["pedido-nº-1", "Ã©N", "\u{1F600}", "100%", "%C3%A9", "\u00e9"])(
  "the key %s is the same by a gateway beside its core and by one apart",
  async (key) => {
    const idempotencyKey = onTheWire(key);
    const answers = [
      await new Api(together, tenant.testKey).post(URL, LINK, { idempotencyKey }),
      await new Api(apart, tenant.testKey).post(URL, LINK, { idempotencyKey }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers.map(isReplay)).toEqual([false, true]);
    expect(answers[1]?.body.id).toBe(answers[0]?.body.id);
  },
);

test.each(["é", "\u{1F642}"])("255 times %s are a key by both, and 256 are none", async (character) => {
  for (const service of [apart, together]) {
    const api = new Api(service, tenant.testKey);
    const asked = (count: number) => {
      const idempotencyKey = onTheWire(character.repeat(count));
      return api.post(URL, LINK, { idempotencyKey });
    };
    expect((await asked(255)).status).toBe(201);
    expectError(await asked(256), { code: "invalid_idempotency_key" });
  }
});

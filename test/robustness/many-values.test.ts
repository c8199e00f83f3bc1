import { expect, test } from "vitest";
import { Asked, withMember } from "../support/asked.ts";
import { forFile } from "../support/for-file.ts";

const on = await forFile(Asked.start());

const nested = (count: number): string => `{"a":[${Array.from({ length: count }, () => "[[1]]").join()}]}`;
const wide = (count: number): string =>
  `{"a":{${Array.from({ length: count }, (_, index) => `"${index}":{}`).join()}}}`;

const intoFields = [
  ["link", "metadata"],
  ["accept", "metadata"],
  ["intent", "metadata"],
  ["intent", "fee_strategy"],
] as const;

test.each(intoFields)(
  "a %s whose %s holds more than 2000 values at any depth is refused on it",
  async (operation, param) => {
    // The member a, and three for each item; or one for each.
    for (const text of [nested(667), wide(2000)]) {
      const ask = async () => await on.post(operation, withMember(operation, `"${param}":${text}`));
      await on.expectRefused(ask, { param });
    }
    for (const text of [nested(666), wide(1999)]) {
      const answer = await on.postAnew(operation, withMember(operation, `"${param}":${text}`));
      expect(answer.status).toBe(201);
    }
  },
);

test("a link that is changed has at most 2000 values, too", async () => {
  const { body } = await on.post("link", withMember("link", `"metadata":${wide(1999)}`));
  const change = async (text: string) =>
    await on.api.post(`/v1/payment_links/${body.id}`, `{"metadata":${text}}`);
  await on.expectRefused(async () => await change(wide(2000)), { param: "metadata" });
  expect((await change(wide(1999))).status).toBe(200);
});

test("a body of 64 KiB in the smallest parts is refused on the field that they are in", async () => {
  for (const item of ["[]", "{}", "1"]) {
    const items = Array.from({ length: 20_000 }, () => item).join();
    const ask = async () => await on.post("link", withMember("link", `"metadata":{"a":[${items}]}`));
    await on.expectRefused(ask, { param: "metadata" });
  }
});

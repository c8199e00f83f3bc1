import { expect, test } from "vitest";
import { readConfig } from "../../src/platform/config.ts";
import { forFile } from "../support/for-file.ts";
import { times } from "../support/scale.ts";
import { secondService } from "../support/service.ts";
import { FORM, PageCaller } from "./page-caller.ts";

// A mobile operator puts thousands of payers behind one address.
const [PAYERS, ADDRESSES] = times([1500, 20], [700, 9]);
const AT_ONCE = 10;

const { service, merchant, rows } = await forFile(PageCaller.start());

test("a crowd behind few addresses opens one campaign and starts to pay, and none of it is refused by the default limits", async () => {
  const { sessionsPerAddress, quotas } = readConfig({});
  const { gateway } = await forFile(secondService(service, { sessionsPerAddress, quotas }));
  const linkId = await merchant.newLink({ campaign: true });
  const statuses = new Map<number, number>();
  let count = 0;
  const comeOneByOne = async () => {
    while (count < PAYERS) {
      const { statusCode } = await gateway.inject({
        method: "POST",
        url: `/pay/${linkId}/sessions`,
        remoteAddress: `203.0.113.${count++ % ADDRESSES}`,
        headers: FORM,
        payload: "way=pix-1",
      });
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, comeOneByOne));
  expect([...statuses]).toEqual([[303, PAYERS]]);
  expect(await rows.count("test.payment WHERE link_id = $1", [linkId])).toBe(PAYERS);
}, 300_000);

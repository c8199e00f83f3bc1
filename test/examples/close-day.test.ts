import { expect, test } from "vitest";
import { closeDay } from "../../examples/merchant-typescript/close-day.ts";
import { createPaylink } from "@paylink/sdk";
import { today } from "../../gateway/console/day.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());

test("the example's close of a day shows what was given back of its payments", async () => {
  service.clock.set(new Date());
  const merchant = await createMerchant(service);
  const day = today();
  const [first] = [(await merchant.pay()).body, await merchant.pay()];
  await merchant.api.post(`/v1/payments/${first.id}/refunds`, { amount: 5000 });
  const url = await service.gateway.listen({ host: "127.0.0.1", port: 0 });
  const { payments, sums } = await closeDay(
    createPaylink({ baseUrl: url, key: merchant.tenant.testKey }),
    day,
    [],
  );
  expect({ payments, brl: sums["BRL"] }).toMatchObject({
    payments: 2,
    brl: { gross: 31_980, refunded: 5000 },
  });
});

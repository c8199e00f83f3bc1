import { DatabaseRows } from "../support/database-rows.ts";
import type { TestService } from "../support/service.ts";

/** The bank has the money, and no report reached us. */
export async function paidAtProvider(service: TestService, paymentId: string, secondsAgo = 0): Promise<void> {
  const rows = await new DatabaseRows(service.databaseUrl).open();
  await rows.run("UPDATE test.sandbox_charge SET status = 'paid', paid_at = $2 WHERE reference = $1", [
    paymentId.replace("_", ""),
    new Date(service.clock.nowMs() - secondsAgo * 1000),
  ]);
  await rows.close();
}

import { expect } from "vitest";
import { type CheckoutSession } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { checkLedger } from "../ledger/book-keeper.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { DEFAULT_QUOTAS } from "../../src/platform/config/limits-config.ts";
import { startService, type TestService } from "../support/service.ts";

export const OPEN_MAX = 70;

/** Merchants whose payers open sessions, with the rows that those write. */
export class PricedSessions {
  readonly service: TestService;
  readonly rows: DatabaseRows;
  readonly merchant: Merchant;
  /** Is paid in USD. */
  readonly abroad: Merchant;

  private constructor(service: TestService, rows: DatabaseRows, merchant: Merchant, abroad: Merchant) {
    this.service = service;
    this.rows = rows;
    this.merchant = merchant;
    this.abroad = abroad;
  }

  /** Starts what a file's tests share, and closes it after them. */
  static async forFile(): Promise<PricedSessions> {
    const quotas = { ...DEFAULT_QUOTAS, openSessionsPerLink: OPEN_MAX };
    const service = await forFile(startService("direct", { quotas }));
    const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
    const merchant = await createMerchant(service);
    return new PricedSessions(
      service,
      rows,
      merchant,
      await createMerchant(service, { payoutCurrency: "USD" }),
    );
  }

  /** Sessions opened by as many payers at the same moment. */
  async openAll(linkId: string, count: number): Promise<{ payer: Payer; session: CheckoutSession }[]> {
    const payers = Array.from({ length: count }, () => new Payer(this.service, linkId));
    return await Promise.all(payers.map(async (payer) => ({ payer, session: await payer.open() })));
  }

  async countLists(linkId: string): Promise<number> {
    return await this.rows.count("test.price_list WHERE link_id = $1", [linkId]);
  }
}

/** Books and prices, looked through as they are in operation. */
export async function expectSound(service: TestService): Promise<void> {
  service.clock.advance(4000);
  await service.core.tasks.check();
  const standings = await service.core.checks.standings();
  expect(standings.find(({ mode }) => mode === "test")).toMatchObject({
    bookProblemCount: 0,
    priceDifferenceCount: 0,
  });
  expect((await checkLedger(service)).problems).toEqual([]);
}

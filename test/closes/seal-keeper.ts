import { insertPayments, randomPayments, type BulkPayment } from "../support/bulk-payments.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startService, type TestService } from "../support/service.ts";

export const DAY = "2026-03-02";
export const START = new Date("2026-03-02T03:00:00Z");
export const END = new Date("2026-03-03T03:00:00Z");

/** Payments of the day, one a minute, newest first. */
export function payments(count: number, more: Partial<BulkPayment> = {}): BulkPayment[] {
  return randomPayments(count, START, END).map((payment, index) => ({
    ...payment,
    createdAt: new Date(END.getTime() - (index + 1) * 60_000),
    updatedAt: null,
    ...more,
  }));
}

export const idsOf = (given: readonly { readonly paymentId: string }[]): string[] =>
  given.map(({ paymentId }) => paymentId);

/** A service on the day's third day after, and what tests of seals do with it. */
export class SealKeeper {
  readonly service: TestService;
  readonly rows: DatabaseRows;

  private constructor(service: TestService, rows: DatabaseRows) {
    this.service = service;
    this.rows = rows;
  }

  static async start(): Promise<SealKeeper> {
    const service = await startService();
    service.clock.set(new Date("2026-03-05T12:00:00Z"));
    return new SealKeeper(service, await new DatabaseRows(service.databaseUrl).open());
  }

  async close(): Promise<void> {
    await this.rows.close();
    await this.service.close();
  }

  /** A merchant that there was on the day already. */
  async newMerchant(): Promise<Merchant> {
    const merchant = await createMerchant(this.service);
    await this.rows.run("UPDATE identity.tenant SET created_at = '2026-02-01T12:00:00Z' WHERE id = $1", [
      merchant.tenant.id,
    ]);
    return merchant;
  }

  /** A merchant whose day is sealed with these. */
  async sealedWith(given: readonly BulkPayment[]): Promise<Merchant> {
    const merchant = await this.newMerchant();
    await this.insert(merchant, given);
    await merchant.ledger.sealDay({ day: DAY }, merchant.as);
    return merchant;
  }

  /** A merchant with payments on the day, and on the days around it. */
  async merchantWith(count: number): Promise<Merchant> {
    const merchant = await this.newMerchant();
    const around = [new Date(START.getTime() - 1000), END].map(
      (from) => [from, new Date(from.getTime() + 1000)] as const,
    );
    await this.insert(merchant, [
      ...randomPayments(count, START, END),
      ...around.flatMap(([from, until]) => randomPayments(2, from, until)),
    ]);
    return merchant;
  }

  async insert({ tenant }: Merchant, given: readonly BulkPayment[]): Promise<void> {
    await insertPayments(this.rows, tenant.id, given);
  }

  /** Changes payments so that their rows are others, and their states. */
  async change(given: readonly BulkPayment[]): Promise<void> {
    await this.rows.run(
      "UPDATE test.payment SET reference = 'changed', updated_at = '2026-03-06T12:00:00Z' WHERE id = ANY ($1)",
      [given.map(({ id }) => id)],
    );
  }

  /** Does to one tenant's rows what only a superuser can. */
  async tamper(sql: string, tenantId: string): Promise<void> {
    await this.rows.run("SET session_replication_role = replica");
    await this.rows.run(`${sql} ${sql.includes(" WHERE ") ? "AND" : "WHERE"} tenant_id = $1`, [tenantId]);
    await this.rows.run("SET session_replication_role = origin");
  }
}

/** The sealed rows of the day, as they are downloaded. */
export async function sealedLines({ ledger, as }: Merchant): Promise<string> {
  const chunks: Uint8Array[] = [];
  for (let position = 0n; ;) {
    const page = await ledger.listSealedRows({ day: DAY, position }, as);
    chunks.push(page.rows);
    position = page.nextPosition;
    if (!page.hasMore) return Buffer.concat(chunks).toString();
  }
}

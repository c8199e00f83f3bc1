import pg from "pg";
import { randomUUID } from "node:crypto";
import { dayAt } from "../../../contract/day.ts";
import { feeIdOf, receiptIdOf } from "../../../src/providers/sandbox/receipt-id.ts";

/** One movement of the statement that the sandbox gives. */
export interface Movement {
  /** Its id at the provider. */
  readonly id: string;
  readonly kind: "received" | "fee" | "refund";
  readonly reference: string;
  /** Centavos, signed. */
  readonly amountMinor: bigint;
  /** YYYY-MM-DD in São Paulo. */
  readonly day: string;
}

/** What the provider does by itself: it takes fees, gives back, and errs. All of it is in the sandbox's own rows. */
export class DemoProvider {
  readonly #pool: pg.Pool;
  readonly #tenantId: string;

  constructor(databaseUrl: string, tenantId: string) {
    this.#pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    this.#tenantId = tenantId;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  /** Gives back an amount of a charge, which the core learns when it asks. */
  async giveBack(reference: string, amountMinor: bigint, atMs: number): Promise<void> {
    await this.#run(
      `INSERT INTO test.sandbox_refund (tenant_id, refund_id, reference, amount_minor, created_at)
        VALUES ($1, $2, $3, $4, $5)`,
      [`dev${randomUUID().replaceAll("-", "")}`, reference, amountMinor, new Date(atMs)],
    );
  }

  /** Takes money of a charge for the second time, as money of its own. */
  async payAgain(reference: string, atMs: number) {
    const again = `again${reference}`;
    const rows = await this.#run<{ amount: string }>(
      `INSERT INTO test.sandbox_charge (tenant_id, reference, amount_minor, status, paid_at, created_at)
        SELECT tenant_id, $3, amount_minor, 'paid', $4, $4 FROM test.sandbox_charge
        WHERE tenant_id = $1 AND reference = $2 RETURNING amount_minor::text AS amount`,
      [reference, again, new Date(atMs)],
    );
    return {
      amount: BigInt(rows[0]?.amount ?? 0),
      paidAtMs: atMs,
      providerPaymentId: receiptIdOf(again),
    };
  }

  /** Takes money that belongs to no payment. */
  async takeUnknown(reference: string, amountMinor: bigint, atMs: number): Promise<void> {
    await this.#run(
      `INSERT INTO test.sandbox_charge (tenant_id, reference, amount_minor, status, paid_at, created_at)
        VALUES ($1, $2, $3, 'paid', $4, $4)`,
      [reference, amountMinor, new Date(atMs)],
    );
  }

  /** Leaves a charge and its fee out of the statement. */
  async lose(reference: string): Promise<void> {
    await this.#run("DELETE FROM test.sandbox_charge WHERE tenant_id = $1 AND reference = $2", [reference]);
  }

  async changeAmount(reference: string, byMinor: bigint): Promise<void> {
    await this.#run(
      "UPDATE test.sandbox_charge SET amount_minor = amount_minor + $3 WHERE tenant_id = $1 AND reference = $2",
      [reference, byMinor],
    );
  }

  async changeFee(reference: string, byMinor: bigint): Promise<void> {
    await this.#run(
      "UPDATE test.sandbox_charge SET fee_minor = fee_minor + $3 WHERE tenant_id = $1 AND reference = $2",
      [reference, byMinor],
    );
  }

  /** Books a charge, and its fee with it, at another time. */
  async move(reference: string, atMs: number): Promise<void> {
    await this.#run("UPDATE test.sandbox_charge SET paid_at = $3 WHERE tenant_id = $1 AND reference = $2", [
      reference,
      new Date(atMs),
    ]);
  }

  /** Takes fees, by reference in centavos. Those of 0 are none. */
  async takeFees(fees: ReadonlyMap<string, bigint>): Promise<void> {
    const taken = [...fees].filter(([, minor]) => minor > 0n);
    await this.#run(
      `UPDATE test.sandbox_charge charge SET fee_minor = fee.minor
        FROM unnest($2::text[], $3::bigint[]) AS fee (reference, minor)
        WHERE charge.tenant_id = $1 AND charge.reference = fee.reference COLLATE "C"`,
      [taken.map(([reference]) => reference), taken.map(([, minor]) => minor)],
    );
  }

  /** Returns the statement as it is now, by day. */
  async statement(): Promise<Movement[]> {
    const rows = await this.#run<{
      kind: Movement["kind"];
      id: string;
      reference: string;
      minor: string;
      at: Date;
    }>(
      `SELECT 'received' AS kind, '' AS id, reference, amount_minor::text AS minor, paid_at AS at
          FROM test.sandbox_charge WHERE tenant_id = $1 AND status = 'paid'
        UNION ALL SELECT 'fee', '', reference, (-fee_minor)::text, paid_at
          FROM test.sandbox_charge WHERE tenant_id = $1 AND status = 'paid' AND fee_minor IS NOT NULL
        UNION ALL SELECT 'refund', refund_id, reference, (-amount_minor)::text, created_at
          FROM test.sandbox_refund WHERE tenant_id = $1
        ORDER BY at, reference, kind DESC, id`,
      [],
    );
    return rows.map(({ kind, id, reference, minor, at }) => ({
      id: kind === "refund" ? id : kind === "fee" ? feeIdOf(reference) : receiptIdOf(reference),
      kind,
      reference,
      amountMinor: BigInt(minor),
      day: dayAt(at.getTime()).toString(),
    }));
  }

  async #run<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return (await this.#pool.query<Row>(text, [this.#tenantId, ...values])).rows;
  }
}

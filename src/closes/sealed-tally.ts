import { createHash } from "node:crypto";
import type { DaySealRow, KeptSum } from "./entities.ts";
import { sumTexts } from "./seal-head.ts";
import { sealedState } from "./sealed-state.ts";

/** The fields of a row of format 1 that a seal sums up. */
interface Row {
  readonly id: string;
  readonly status: KeptSum["status"];
  readonly updated_at: number | null;
  readonly gross_amount: number;
  readonly gross_currency: KeptSum["grossCurrency"];
  readonly fee_amount: number;
  readonly fee_currency: KeptSum["feeCurrency"];
  readonly net_amount: number;
  readonly net_currency: KeptSum["netCurrency"];
  readonly payment_method: NonNullable<KeptSum["method"]>;
}

type Sum = Pick<KeptSum, "grossCurrency" | "netCurrency" | "feeCurrency" | "method" | "status"> &
  Record<"paymentCount" | "grossMinor" | "feeMinor" | "netMinor", bigint>;

/** Counts, sums and hashes a seal's stored rows, from their bytes alone. */
export class SealedTally {
  rowCount = 0n;
  readonly #hash = createHash("sha256");
  readonly #sums = new Map<string, Sum>();
  #byteCount = 0n;
  #isWhole = true;

  /** Adds the next rows, with the states stored beside them. */
  add({ bytes, rowCount, states }: { bytes: Uint8Array; rowCount: number; states: readonly string[] }): void {
    this.#hash.update(bytes);
    this.#byteCount += BigInt(bytes.length);
    const lines = Buffer.from(bytes).toString().split("\n");
    const isEnded = lines.pop() === "";
    this.rowCount += BigInt(lines.length);
    // Altered rows may hold any bytes.
    try {
      const found = lines.map((line) => this.#addRow(JSON.parse(line) as Row));
      const isSame = found.length === rowCount && JSON.stringify(found) === JSON.stringify(states);
      this.#isWhole &&= isEnded && isSame;
    } catch {
      this.#isWhole = false;
    }
  }

  /** Ends the hash. Returns the lower-case hex SHA-256 of all rows, and whether the seal's fields match them. */
  end(seal: DaySealRow): { rowsSha256: string; isSame: boolean } {
    const rowsSha256 = this.#hash.digest("hex");
    const isSame =
      this.#isWhole &&
      rowsSha256 === seal.rowsSha256 &&
      this.rowCount === seal.paymentCount &&
      this.#byteCount === seal.byteCount &&
      sumTexts(this.#keptSums()).join("\n") === sumTexts(seal.sums).join("\n");
    return { rowsSha256, isSame };
  }

  #addRow(row: Row): string {
    const { status, payment_method: method } = row;
    const key = [row.gross_currency, row.net_currency, row.fee_currency, method, status].join(" ");
    const sum = this.#sums.get(key);
    this.#sums.set(key, {
      grossCurrency: row.gross_currency,
      netCurrency: row.net_currency,
      feeCurrency: row.fee_currency,
      method,
      status,
      paymentCount: (sum?.paymentCount ?? 0n) + 1n,
      grossMinor: (sum?.grossMinor ?? 0n) + BigInt(row.gross_amount),
      feeMinor: (sum?.feeMinor ?? 0n) + BigInt(row.fee_amount),
      netMinor: (sum?.netMinor ?? 0n) + BigInt(row.net_amount),
    });
    return sealedState({ id: row.id, status, updatedAt: row.updated_at });
  }

  #keptSums(): KeptSum[] {
    return [...this.#sums.values()].map(({ paymentCount, grossMinor, feeMinor, netMinor, ...common }) => ({
      ...common,
      paymentCount: String(paymentCount),
      grossMinor: String(grossMinor),
      feeMinor: String(feeMinor),
      netMinor: String(netMinor),
    }));
  }
}

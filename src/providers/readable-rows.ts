import { isObject, unreadable, type Fields } from "./answer-fields.ts";
import { ProviderFault } from "./provider-fault.ts";

// An answer with more rows that cannot be read is not read at all.
const SET_ASIDE_MAX = 100;

/** Is called for an answer of which so many rows cannot be read. */
export type OnSetAside = (count: number) => void;

/** Reads the rows of an answer's lists. One that cannot be read is set aside and counted, so that the others count. */
export class ReadableRows {
  #setAsideCount = 0;

  get setAsideCount(): number {
    return this.#setAsideCount;
  }

  /** Returns the rows that can be read. Throws ProviderFault if too many cannot. */
  read<Row>(rows: readonly unknown[], readRow: (fields: Fields) => Row): Row[] {
    return rows.flatMap((row) =>
      this.readable(() => {
        if (!isObject(row)) throw unreadable("row");
        return [readRow(row)];
      }),
    );
  }

  /** Returns what is read of one row, or nothing if it cannot be read. Throws ProviderFault if too many cannot. */
  readable<Read>(read: () => readonly Read[]): readonly Read[] {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ProviderFault) || ++this.#setAsideCount > SET_ASIDE_MAX) throw error;
      return [];
    }
  }
}

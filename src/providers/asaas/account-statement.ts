import { dayAt } from "../../../contract/day.ts";
import type { AccountStatement, DayBalance, LineKind, StatementLine } from "../account-statement.ts";
import { isProviderId } from "../answer-fields.ts";
import { linesOfPages, type DayPage } from "../day-pages.ts";
import { ProviderFault } from "../provider-fault.ts";
import { ReadableRows, type OnSetAside } from "../readable-rows.ts";
import type { ProviderKind } from "../registration.ts";
import type { AsaasClient } from "./client.ts";
import { optionalText, rowsOf, signedMinorOf, textOf, unreadable, wholeOf, type Fields } from "./json.ts";
import { lineKindOf } from "./line-kinds.ts";
import { idOf } from "./messages.ts";

const PAGE_ROWS = 100;

/**
 * The statement of an account at Asaas, of all money there: also what no charge of ours brought. Each line says the balance
 * after it.
 */
export class AsaasAccountStatement implements AccountStatement {
  readonly hasBalance = true;
  readonly hasToday = true;
  readonly #client: AsaasClient;
  readonly #receivedAs: LineKind;
  readonly #onSetAside: OnSetAside;

  /** `kind`: a payment that was received does not say how it was paid. Of an account of cards it is an installment. */
  constructor(client: AsaasClient, kind: ProviderKind, onSetAside: OnSetAside) {
    this.#client = client;
    this.#receivedAs = kind === "card" ? "installment" : "received";
    this.#onSetAside = onSetAside;
  }

  lines(day: string, signal?: AbortSignal): AsyncIterable<StatementLine> {
    const pageAt = async (place: string | null): Promise<DayPage> => await this.#page(day, place, signal);
    return linesOfPages(pageAt, this.#onSetAside);
  }

  async balance(day: string, signal?: AbortSignal): Promise<DayBalance> {
    const eve = Temporal.PlainDate.from(day).subtract({ days: 1 }).toString();
    const isToday = day === dayAt(this.#client.now().getTime()).toString();
    return {
      openingMinor: await this.#balanceAfter(eve, signal),
      closingMinor: await (isToday ? this.#presentBalance(signal) : this.#balanceAfter(day, signal)),
    };
  }

  async #page(day: string, place: string | null, signal: AbortSignal | undefined): Promise<DayPage> {
    const offset = Number(place ?? "0");
    const query = { startDate: day, finishDate: day, order: "asc", limit: String(PAGE_ROWS) };
    const page = await this.#list({ ...query, offset: String(offset) }, signal);
    const found = rowsOf(page, "data");
    const rows = new ReadableRows();
    const lines = rows.read(found, (fields) => this.#line(fields, day));
    const isLast = page["hasMore"] !== true || found.length === 0;
    return {
      lines,
      ids: found.flatMap(({ id }) => (isProviderId(id) ? [id] : [])),
      rowCount: found.length,
      setAsideCount: rows.setAsideCount,
      total: wholeOf(page, "totalCount"),
      next: isLast ? null : String(offset + found.length),
    };
  }

  /** The description of a line may have its payer's name. */
  #line(fields: Fields, day: string): StatementLine {
    const type = textOf(fields, "type");
    const kind = lineKindOf(type);
    if (textOf(fields, "date").slice(0, day.length) !== day) throw unreadable("date");
    return {
      id: idOf(fields, "id"),
      kind: type === "PAYMENT_RECEIVED" ? this.#receivedAs : kind,
      amountMinor: signedMinorOf(fields, "value"),
      currency: "BRL",
      day,
      at: null,
      reference: null,
      endToEndId: null,
      providerPaymentId: optionalText(fields, "paymentId") ?? optionalText(fields, "pixTransactionId"),
      installment: null,
      settlementId: optionalText(fields, "transferId"),
      text: type,
      balanceMinor: fields["balance"] == null ? null : signedMinorOf(fields, "balance"),
      raw: JSON.stringify(fields),
    };
  }

  /** Returns the balance after the last line up to a day; 0 before the first line. */
  async #balanceAfter(day: string, signal: AbortSignal | undefined): Promise<bigint> {
    const page = await this.#list({ finishDate: day, order: "desc", limit: "1", offset: "0" }, signal);
    const [last] = rowsOf(page, "data");
    return last ? signedMinorOf(last, "balance") : 0n;
  }

  async #presentBalance(signal: AbortSignal | undefined): Promise<bigint> {
    const found = await this.#client.call("GET", "/finance/balance", { signal, purpose: "statement" });
    if (!found) throw new ProviderFault("unknown", "the balance was answered with 404");
    return signedMinorOf(found, "balance");
  }

  async #list(query: Readonly<Record<string, string>>, signal: AbortSignal | undefined): Promise<Fields> {
    const path = `/financialTransactions?${new URLSearchParams(query).toString()}`;
    const page = await this.#client.call("GET", path, { signal, purpose: "statement" });
    if (!page) throw new ProviderFault("unknown", "a list was answered with 404");
    return page;
  }
}

import { setTimeout as passes } from "node:timers/promises";
import { dayAt } from "../../../contract/day.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { AccountStatement, DayBalance, StatementLine } from "../account-statement.ts";
import { isProviderId, objectIn, refusalOf, unreadable } from "../answers.ts";
import { ProviderFault } from "../provider-fault.ts";
import type { OnSetAside } from "../readable-rows.ts";
import type { ApiPixClient } from "./client.ts";
import { readReport, type ReportFile } from "./report-file.ts";

const PATH = "/gn/relatorios";
const ACCEPTED = 202;
// A report is made within seconds or minutes.
const WAITS_MS: readonly number[] = [1000, 2000, 4000, 8000, 15_000, 30_000];
const ASKED_AGAIN_SECONDS = 60;
// What an account's client remembers of reports that are under way.
const KEPT_MAX = 100;
const RECORDS_ASKED = {
  pixRecebido: true,
  pixEnviadoChave: true,
  pixEnviadoDadosBancarios: true,
  estornoPixEnviado: true,
  pixDevolucaoEnviada: true,
  pixDevolucaoRecebida: true,
  tarifaPixEnviado: true,
  tarifaPixRecebido: true,
  estornoTarifaPixEnviado: true,
  saldoDiaAnterior: true,
  saldoDia: true,
  transferenciaEnviada: true,
  transferenciaRecebida: true,
  estornoTransferenciaEnviada: true,
  tarifaTransferenciaEnviada: true,
  estornoTarifaTransferenciaEnviada: true,
  estornoTarifaPixRecebido: true,
};

/** A report that was asked for. `isRead`: its lines were read, so that the next reading asks for a new one. */
interface Asked {
  readonly id: string;
  readonly isRead: boolean;
}

/**
 * The statement of an account by Efí's reports ("extrato de conciliação"): all movements of it with fees and balances. A
 * report of a day that is over is asked for, made by the bank in its time, and then downloaded as text.
 */
export class ReportStatement implements AccountStatement {
  readonly hasBalance = true;
  readonly hasToday = false;
  readonly #client: ApiPixClient;
  readonly #clock: Clock;
  readonly #onSetAside: OnSetAside;
  readonly #waitsMs: readonly number[];
  /** By day, the oldest one first. */
  readonly #asked = new Map<string, Asked>();

  constructor(client: ApiPixClient, clock: Clock, onSetAside: OnSetAside, waitsMs = WAITS_MS) {
    this.#client = client;
    this.#clock = clock;
    this.#onSetAside = onSetAside;
    this.#waitsMs = waitsMs;
  }

  async *lines(day: string, signal?: AbortSignal): AsyncGenerator<StatementLine> {
    if (this.#asked.get(day)?.isRead === true) this.#asked.delete(day);
    const { lines, setAsideCount } = await this.#report(day, signal);
    const asked = this.#asked.get(day);
    if (asked) this.#asked.set(day, { ...asked, isRead: true });
    if (setAsideCount > 0) this.#onSetAside(setAsideCount);
    yield* lines;
  }

  /** By the report of the day whose lines were read last. */
  async balance(day: string, signal?: AbortSignal): Promise<DayBalance> {
    const { openingMinor, closingMinor } = await this.#report(day, signal);
    return { openingMinor, closingMinor };
  }

  async #report(day: string, signal: AbortSignal | undefined): Promise<ReportFile> {
    if (day >= dayAt(this.#clock.nowMs()).toString()) {
      const message = "a day has its report once it is over";
      throw new ProviderFault("refused", message, { code: "day_not_over", isUndone: true });
    }
    const { id } = this.#asked.get(day) ?? (await this.#ask(day, signal));
    try {
      return readReport(await this.#download(id, signal), day);
    } catch (error) {
      // One that failed at the bank is made anew.
      const isUnderWay = error instanceof ProviderFault && (error.isOutage || KEPT_CODES.has(error.code));
      if (!isUnderWay) this.#asked.delete(day);
      throw error;
    }
  }

  async #ask(day: string, signal: AbortSignal | undefined): Promise<Asked> {
    const body = { dataMovimento: day, tipoRegistros: RECORDS_ASKED };
    const path = `${PATH}/extrato-conciliacao`;
    const { isFound, fields } = await this.#client.call({
      method: "POST",
      resource: "pix",
      path,
      body,
      signal,
    });
    const id = fields?.["id"];
    if (!isFound || !isProviderId(id)) throw unreadable("id");
    const asked = { id, isRead: false };
    this.#asked.set(day, asked);
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > KEPT_MAX && oldest !== undefined) this.#asked.delete(oldest);
    return asked;
  }

  /** Returns the text of a report, and waits for it. Throws ProviderFault, `report_not_ready` if it takes long. */
  async #download(id: string, signal: AbortSignal | undefined): Promise<string> {
    const path = `${PATH}/${encodeURIComponent(id)}`;
    for (const waitMs of [0, ...this.#waitsMs]) {
      if (waitMs > 0) await pause(waitMs, signal);
      const answer = await this.#client.send({ method: "GET", resource: "pix", path, signal });
      if (answer.status === ACCEPTED) continue;
      const isMade = answer.status === 200 && objectIn(answer.text) === undefined;
      if (isMade) return answer.text;
      if (answer.status >= 200 && answer.status <= 299) throw unreadable("report");
      throw refusalOf(answer, "GET /relatorios", new Date(this.#clock.nowMs()));
    }
    throw new ProviderFault("unknown", "a report is not made yet", {
      code: "report_not_ready",
      retryAfterSeconds: ASKED_AGAIN_SECONDS,
    });
  }
}

const KEPT_CODES: ReadonlySet<string | null> = new Set(["report_not_ready", "AbortError"]);

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await passes(ms, undefined, { signal, ref: false });
  } catch (cause) {
    throw new ProviderFault("unknown", "a report was not waited for", { code: "AbortError", cause });
  }
}

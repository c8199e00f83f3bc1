import { secondsAfter, type Clock } from "../platform/clock.ts";
import type {
  ChargeRequest,
  PixCode,
  PixProvider,
  PixState,
  ProviderReturn,
  ReceivedIn,
  ReceivedMoney,
  RefundRequest,
} from "../providers/ports.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import type { ApiPixClient, ApiCall } from "./client.ts";
import { amountText, readCob, readReturn, readStatement, type Cob, type StatementPage } from "./messages.ts";
import type { Fields } from "./answers.ts";

const REMOVED_BY_US = "REMOVIDA_PELO_USUARIO_RECEBEDOR";
const REMOVED_BY_BANK = "REMOVIDA_PELO_PSP";
// The state of a charge forbids the request: the charge says why.
const WRONG_STATE = "CobOperacaoInvalida";
const REQUEST_TEXT_MAX = 140;
// New money moves the pages of a statement while it is read.
const READINGS_MAX = 3;
const DAY_SECONDS = 86_400;

/** PIX by the central bank's API Pix. */
export class ApiPixProvider implements PixProvider {
  readonly #client: ApiPixClient;
  readonly #clock: Clock;

  constructor(client: ApiPixClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  get accountId(): string {
    return this.#client.account.id;
  }

  async createCharge(request: ChargeRequest): Promise<PixCode> {
    const earlier = request.isRepeated ? await this.#cob(request.reference) : undefined;
    const cob = earlier ?? (await this.#put(request));
    const { pixKey } = this.#client.account;
    const { reference, amountMinor } = request;
    if (cob.status === REMOVED_BY_BANK || cob.status === REMOVED_BY_US) {
      throw new ProviderFault("refused", `the charge ${reference} was removed`, { code: "removed" });
    }
    const isOurs =
      cob.txid === reference &&
      cob.amountMinor === amountMinor &&
      (cob.pixKey === null || cob.pixKey === pixKey);
    if (!isOurs) {
      throw new ProviderFault("unknown", `the provider's charge of ${reference} is another one`, {
        code: "wrong_charge",
      });
    }
    return cob.code;
  }

  async find(reference: string): Promise<PixState> {
    const cob = await this.#cob(reference);
    if (!cob) return { status: "absent", receipts: [], returns: [] };
    // A charge's list may leave out the key; money of another key is not this charge's.
    const receipts = cob.money.filter((money) => money.reference === null || money.reference === reference);
    const returns = receipts.flatMap((money) => money.returns);
    return { status: cob.status === REMOVED_BY_BANK ? "removed" : "waiting", receipts, returns };
  }

  async cancel(reference: string): Promise<void> {
    await this.#client.call({
      method: "PATCH",
      resource: "cob",
      path: `/cob/${reference}`,
      body: { status: REMOVED_BY_US },
    });
  }

  async refund({ refundId, providerPaymentId, amountMinor, reason }: RefundRequest): Promise<ProviderReturn> {
    const path = returnPath(refundId, providerPaymentId);
    const body = {
      valor: amountText(amountMinor),
      ...(reason === null ? {} : { descricao: reason.slice(0, REQUEST_TEXT_MAX) }),
    };
    const fields = await this.#fields({ method: "PUT", resource: "pix", path, body });
    return readReturn(fields, providerPaymentId);
  }

  async findRefund({
    refundId,
    providerPaymentId,
  }: Pick<RefundRequest, "refundId" | "providerPaymentId">): Promise<ProviderReturn | undefined> {
    const path = returnPath(refundId, providerPaymentId);
    const found = await this.#client.call({ method: "GET", resource: "pix", path });
    if (!found.isFound) return undefined;
    if (!found.fields) throw noBody("a return");
    return readReturn(found.fields, providerPaymentId);
  }

  async *received(period: ReceivedIn): AsyncGenerator<ReceivedMoney> {
    yield* this.#statement(period, {});
  }

  async *returned(period: ReceivedIn): AsyncGenerator<ReceivedMoney> {
    yield* this.#statement(period, { devolucaoPresente: "true" });
  }

  async *#statement({ from, to }: ReceivedIn, filter: Record<string, string>): AsyncGenerator<ReceivedMoney> {
    const { windowDays } = this.#client.account.profile;
    for (let start = from; start <= to; start = new Date(start.getTime() + windowDays * DAY_SECONDS * 1000)) {
      const last = new Date(secondsAfter(start, windowDays * DAY_SECONDS).getTime() - 1);
      yield* this.#window({ from: start, to: last < to ? last : to }, filter);
    }
  }

  /** Yields the money of one window. Pages that shift while they are read are read again: money may come twice. */
  async *#window(period: ReceivedIn, filter: Record<string, string>): AsyncGenerator<ReceivedMoney> {
    for (let reading = 0; reading < READINGS_MAX; reading++) {
      let seen = 0;
      let page = await this.#page(period, filter, 0);
      const { total } = page;
      for (let number = 1; ; number++) {
        seen += page.money.length;
        yield* page.money;
        if (number >= page.pages) break;
        page = await this.#page(period, filter, number);
      }
      if (seen >= total && page.total === total) return;
    }
    throw new ProviderFault("unknown", "the pages of a statement went on shifting");
  }

  async #page(
    { from, to }: ReceivedIn,
    filter: Record<string, string>,
    number: number,
  ): Promise<StatementPage> {
    const { pageSize } = this.#client.account.profile;
    const query = new URLSearchParams({
      inicio: this.#timeText(from),
      fim: this.#timeText(to),
      ...filter,
      "paginacao.paginaAtual": String(number),
      "paginacao.itensPorPagina": String(pageSize),
    });
    const path = `/pix?${query.toString()}`;
    const found = await this.#client.call({ method: "GET", resource: "pix", path });
    // Some banks answer 404 where there is none.
    return readStatement(found.isFound ? (found.fields ?? {}) : {});
  }

  async #put(request: ChargeRequest): Promise<Cob> {
    const { reference, amountMinor, description, expiresAt } = request;
    const { pixKey, profile } = this.#client.account;
    const seconds = Math.max(1, Math.ceil((expiresAt.getTime() - this.#clock.nowMs()) / 1000));
    const body = {
      calendario: { expiracao: seconds },
      valor: { original: amountText(amountMinor) },
      chave: pixKey,
      ...(description === null ? {} : { solicitacaoPagador: description.slice(0, REQUEST_TEXT_MAX) }),
    };
    const call: ApiCall = { method: "PUT", resource: "cob", path: `/cob/${reference}`, body };
    try {
      const found = await this.#client.call(call);
      if (found.isFound && found.fields) return readCob(found.fields, profile.codeFields);
    } catch (error) {
      if (!(error instanceof ProviderFault) || error.code !== WRONG_STATE) throw error;
    }
    // A success without a body, or a charge in another state: the charge itself says what it is.
    const cob = await this.#cob(reference);
    if (!cob)
      throw new ProviderFault("refused", `the charge ${reference} was refused`, { code: WRONG_STATE });
    return cob;
  }

  async #cob(reference: string): Promise<Cob | undefined> {
    const found = await this.#client.call({ method: "GET", resource: "cob", path: `/cob/${reference}` });
    if (!found.isFound) return undefined;
    if (!found.fields) throw noBody("a charge");
    return readCob(found.fields, this.#client.account.profile.codeFields);
  }

  /** Calls, and reads the same resource if the success had no body. */
  async #fields(call: ApiCall): Promise<Fields> {
    const found = await this.#client.call(call);
    if (!found.isFound)
      throw new ProviderFault("refused", "the provider has no such money", { code: "not_found" });
    if (found.fields) return found.fields;
    const { resource, path } = call;
    const read = await this.#client.call({ method: "GET", resource, path });
    if (!read.isFound || !read.fields) throw noBody(`${call.method} /${resource}`);
    return read.fields;
  }

  #timeText(time: Date): string {
    const text = time.toISOString();
    return this.#client.account.profile.hasMilliseconds ? text : text.replace(/\.\d{3}Z$/, "Z");
  }
}

function returnPath(refundId: string, providerPaymentId: string): string {
  return `/pix/${encodeURIComponent(providerPaymentId)}/devolucao/${apiRefundId(refundId)}`;
}

/** Returns a refund's id in the form of the API Pix, which has letters and digits alone. */
export function apiRefundId(refundId: string): string {
  return refundId.replaceAll(/[^0-9A-Za-z]/g, "");
}

function noBody(what: string): ProviderFault {
  return new ProviderFault("unknown", `${what} was answered without a body`);
}

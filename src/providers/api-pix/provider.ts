import { randomUUID } from "node:crypto";
import { secondsAfter, type Clock } from "../../platform/time/clock.ts";
import type {
  Asking,
  CallbackReference,
  ChargeRequest,
  PayerField,
  PixCode,
  PixProvider,
  PixState,
  ProviderPayer,
  ProviderReturn,
  ReceivedIn,
  ReceivedMoney,
  RefundRequest,
} from "../ports.ts";
import { ProviderFault } from "../provider-fault.ts";
import type { ConnectDeps } from "../registration.ts";
import { payerText } from "../text-rules.ts";
import { readCallback } from "./callback.ts";
import type { ApiPixClient, ApiCall } from "./client.ts";
import { unreadable, type Fields } from "../answers.ts";
import { amountText, readCob, readReturn, type Cob } from "./messages.ts";
import { isSameKey } from "./pix-key.ts";
import type { OnSetAside } from "../readable-rows.ts";
import { STATEMENT, statementOf } from "./statement.ts";

const PAID = "CONCLUIDA";
const REMOVED_BY_US = "REMOVIDA_PELO_USUARIO_RECEBEDOR";
const REMOVED_BY_BANK = "REMOVIDA_PELO_PSP";
// An application of a bank may be so far from the clock of its front.
const CLOCK_GAP_SECONDS_MAX = 300;
const PROBE_SECONDS = 60;
// Money that left its payer at the end of a charge comes later.
const PAID_LATE_SECONDS = 86_400;

/** PIX by the central bank's API Pix. */
export class ApiPixProvider implements PixProvider {
  readonly isRefundIdempotent = true;
  readonly optionalPayerFields: readonly PayerField[] = ["name", "document"];
  readonly #client: ApiPixClient;
  readonly #clock: Clock;
  readonly #onSetAside: OnSetAside;
  readonly #onClockGap: (seconds: number) => void;
  /** Of the newest charge. Undefined: none was compared. */
  #clockGapSeconds: number | undefined;

  constructor(
    client: ApiPixClient,
    clock: Clock,
    { onSetAside, onClockGap }: Pick<ConnectDeps, "onSetAside" | "onClockGap">,
  ) {
    this.#client = client;
    this.#clock = clock;
    this.#onSetAside = onSetAside;
    this.#onClockGap = onClockGap;
  }

  get accountId(): string {
    return this.#client.account.id;
  }

  async createCharge(request: ChargeRequest): Promise<PixCode> {
    const { reference, amountMinor, signal } = request;
    const earlier = request.isRepeated ? await this.#cob(reference, signal) : undefined;
    const { status, amountMinor: madeMinor, code, location } = earlier ?? (await this.#put(request));
    if (isRemoved(status)) {
      throw new ProviderFault("refused", `the charge ${reference} was removed`, { code: "removed" });
    }
    if (madeMinor !== amountMinor) throw wrongCharge(reference);
    if (code === null && location === null) throw unreadable("location");
    return { code, location };
  }

  /**
   * Makes a charge that no payer sees and removes it, as no other answer has a time of the present. Returns its own time minus
   * that of its answer, in seconds, if that matters; undefined also if the bank makes none or does not say.
   */
  async clockGapSeconds(): Promise<number | undefined> {
    const reference = randomUUID().replaceAll("-", "");
    const expiresAt = secondsAfter(new Date(this.#clock.nowMs()), PROBE_SECONDS);
    this.#clockGapSeconds = undefined;
    try {
      await this.#put({ reference, amountMinor: 1n, description: null, expiresAt });
      await this.cancel(reference);
    } catch (error) {
      // It ends by itself.
      if (!(error instanceof ProviderFault)) throw error;
    }
    const seconds = this.#clockGapSeconds ?? 0;
    return Math.abs(seconds) > CLOCK_GAP_SECONDS_MAX ? seconds : undefined;
  }

  async find(reference: string, { signal }: Asking = {}): Promise<PixState> {
    const cob = await this.#cob(reference, signal);
    if (!cob) return { status: "absent", receipts: [], returns: [] };
    const isLeftOut = cob.status === PAID && cob.money.length === 0 && cob.setAsideCount === 0;
    const receipts = isLeftOut
      ? await this.#listed(cob, signal)
      : cob.money.filter((money) => money.reference === null || money.reference === reference);
    const returns = receipts.flatMap((money) => money.returns);
    return { status: cob.status === REMOVED_BY_BANK ? "removed" : "waiting", receipts, returns };
  }

  async cancel(reference: string): Promise<void> {
    const body = { status: REMOVED_BY_US };
    try {
      await this.#client.call({ method: "PATCH", resource: "cob", path: `/cob/${reference}`, body });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // It may be removed already.
      const cob = await this.#cob(reference);
      if (cob && !isRemoved(cob.status)) throw error;
    }
  }

  async refund(request: RefundRequest): Promise<ProviderReturn> {
    const { refundId, providerPaymentId, amountMinor, reason } = request;
    const { hasNoReturnText = false } = this.#client.account.profile;
    const text = hasNoReturnText ? null : payerText(reason);
    const path = returnPath(refundId, providerPaymentId);
    const body = {
      valor: amountText(amountMinor),
      ...(text === null ? {} : { descricao: text }),
    };
    return await this.#asked(request, { method: "PUT", resource: "pix", path, body });
  }

  async findRefund({
    refundId,
    providerPaymentId,
  }: Pick<RefundRequest, "refundId" | "providerPaymentId">): Promise<ProviderReturn | undefined> {
    const path = returnPath(refundId, providerPaymentId);
    const found = await this.#client.call({ method: "GET", resource: "pix", path });
    if (!found.isFound) return undefined;
    if (!found.fields) throw noBody("a return");
    return this.#ownReturn(found.fields, refundId, providerPaymentId);
  }

  received(period: ReceivedIn, signal?: AbortSignal): AsyncIterable<ReceivedMoney> {
    return statementOf(this.#client, this.#onSetAside, period, STATEMENT, signal);
  }

  async *returned(period: ReceivedIn, signal?: AbortSignal): AsyncGenerator<ReceivedMoney> {
    const { returnsPath } = this.#client.account.profile;
    const withReturns = { ...STATEMENT, filter: { devolucaoPresente: "true" } };
    yield* statementOf(this.#client, this.#onSetAside, period, withReturns, signal);
    if (returnsPath === undefined) return;
    const byReturn = { path: returnsPath, filter: {} };
    try {
      yield* statementOf(this.#client, this.#onSetAside, period, byReturn, signal);
    } catch (error) {
      // A list that the account may not have, or has in another form: the standard one is read all the same.
      const isOfList = error instanceof ProviderFault && !error.isOutage && error.kind !== "busy";
      if (!isOfList || signal?.aborted === true) throw error;
      this.#onSetAside(1);
    }
  }

  readCallback(body: string): readonly CallbackReference[] {
    return readCallback(body);
  }

  /** Returns the money of a charge by the statement: some banks leave it out of the charge itself. */
  async #listed(
    { txid, createdAt, seconds }: Cob,
    signal: AbortSignal | undefined,
  ): Promise<readonly ReceivedMoney[]> {
    const now = new Date(this.#clock.nowMs());
    const from = createdAt ?? secondsAfter(now, -seconds);
    const end = secondsAfter(from, seconds + PAID_LATE_SECONDS);
    const period = { from, to: end < now ? end : now };
    const list = { ...STATEMENT, filter: { txid } };
    const money = await Array.fromAsync(statementOf(this.#client, this.#onSetAside, period, list, signal));
    return money.filter(({ reference }) => reference === txid);
  }

  async #put(
    request: Pick<
      ChargeRequest,
      "reference" | "amountMinor" | "description" | "expiresAt" | "payer" | "signal"
    >,
  ): Promise<Cob> {
    const { reference, amountMinor, expiresAt, payer, signal } = request;
    const text = payerText(request.description);
    const seconds = Math.max(1, Math.ceil((expiresAt.getTime() - this.#clock.nowMs()) / 1000));
    const body = {
      calendario: { expiracao: seconds },
      valor: { original: amountText(amountMinor) },
      chave: this.#client.account.pixKey,
      ...debtorOf(payer),
      ...(text === null ? {} : { solicitacaoPagador: text }),
    };
    let refusal: unknown;
    try {
      const path = `/cob/${reference}`;
      const put: ApiCall = { method: "PUT", resource: "cob", path, body, signal };
      const { isFound, fields, answeredAt = null } = await this.#client.call(put);
      if (isFound && fields) {
        const cob = this.#ownCob(fields, reference);
        this.#compareClocks(cob, answeredAt);
        return cob;
      }
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusal = error;
    }
    // A success without a body, or a charge in a state that forbids it: the charge itself says what it is.
    const cob = await this.#cob(reference, signal);
    if (!cob) throw refusal ?? noBody("a new charge");
    return cob;
  }

  /** Tells once of a bank whose charges have other times than its clock, such as local time that is labelled as UTC. */
  #compareClocks({ createdAt }: Cob, answeredAt: Date | null): void {
    if (!createdAt || !answeredAt) return;
    const isFirst = this.#clockGapSeconds === undefined;
    // A Date has whole seconds.
    const seconds = Math.floor(createdAt.getTime() / 1000) - answeredAt.getTime() / 1000;
    this.#clockGapSeconds = seconds;
    if (isFirst && Math.abs(seconds) > CLOCK_GAP_SECONDS_MAX) this.#onClockGap(seconds);
  }

  async #cob(reference: string, signal?: AbortSignal): Promise<Cob | undefined> {
    const path = `/cob/${reference}`;
    const found = await this.#client.call({ method: "GET", resource: "cob", path, signal });
    if (!found.isFound) return undefined;
    if (!found.fields) throw noBody("a charge");
    return this.#ownCob(found.fields, reference);
  }

  /** Reads a charge. Throws ProviderFault if it is another one than was asked for. */
  #ownCob(fields: Fields, reference: string): Cob {
    const { profile, pixKey } = this.#client.account;
    const cob = readCob(fields, profile.codeFields, this.#client.readWith);
    if (cob.setAsideCount > 0) this.#onSetAside(cob.setAsideCount);
    if (cob.txid !== reference) throw wrongCharge(reference);
    if (cob.pixKey !== null && !isSameKey(cob.pixKey, pixKey)) throw wrongCharge(reference);
    return cob;
  }

  /** Asks for a return. One that exists already is returned if its bank refuses the same id again. */
  async #asked(request: RefundRequest, call: ApiCall): Promise<ProviderReturn> {
    const { refundId, providerPaymentId } = request;
    let refusal: unknown = new ProviderFault("refused", "the provider has no such money", {
      code: "not_found",
    });
    try {
      const { isFound, fields } = await this.#client.call(call);
      if (isFound && fields) return this.#ownReturn(fields, refundId, providerPaymentId);
      if (isFound) refusal = noBody("a new return");
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusal = error;
    }
    const made = await this.findRefund(request);
    if (!made) throw refusal;
    return made;
  }

  /** Reads a return of ours. Throws ProviderFault if it is another one than was asked for. */
  #ownReturn(fields: Fields, refundId: string, providerPaymentId: string): ProviderReturn {
    if (fields["id"] !== apiRefundId(refundId)) throw wrongReturn(refundId);
    return { ...readReturn(fields, providerPaymentId, this.#client.readWith), id: refundId };
  }
}

/** Returns the debtor of a charge: the standard takes a name and a number of digits together alone. */
function debtorOf({ name, document }: ProviderPayer = {}): Fields {
  if (name === undefined || document === undefined) return {};
  if (/^\d{11}$/.test(document)) return { devedor: { cpf: document, nome: name } };
  return /^\d{14}$/.test(document) ? { devedor: { cnpj: document, nome: name } } : {};
}

function isRemoved(status: string): boolean {
  return status === REMOVED_BY_BANK || status === REMOVED_BY_US;
}

function isRefusal(error: unknown): boolean {
  return error instanceof ProviderFault && error.kind === "refused";
}

function returnPath(refundId: string, providerPaymentId: string): string {
  return `/pix/${encodeURIComponent(providerPaymentId)}/devolucao/${apiRefundId(refundId)}`;
}

/** Returns a refund's id in the form of the API Pix, which has letters and digits alone. */
function apiRefundId(refundId: string): string {
  return refundId.replaceAll(/[^0-9A-Za-z]/g, "");
}

function wrongCharge(reference: string): ProviderFault {
  const message = `the provider's charge of ${reference} is another one`;
  return new ProviderFault("unknown", message, { code: "wrong_charge" });
}

function wrongReturn(refundId: string): ProviderFault {
  const message = `the provider's return of ${refundId} is another one`;
  return new ProviderFault("unknown", message, { code: "wrong_return" });
}

function noBody(what: string): ProviderFault {
  return new ProviderFault("unknown", `${what} was answered without a body`);
}

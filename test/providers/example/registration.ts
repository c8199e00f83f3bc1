import { isObject, objectIn, refusalOf, unreadable, type Fields } from "../../../src/providers/answers.ts";
import { isProviderId, rowsOf, textOf } from "../../../src/providers/answer-fields.ts";
import { Connection, type AddressGuard, type TimeLimits } from "../../../src/providers/connection.ts";
import type { Clock } from "../../../src/platform/time/clock.ts";
import type {
  CallbackReference,
  ChargeRequest,
  PixCode,
  PixProvider,
  PixState,
  ProviderReturn,
  ReceivedIn,
  ReceivedMoney,
  RefundLookup,
  RefundRequest,
} from "../../../src/providers/ports.ts";
import { ProviderFault } from "../../../src/providers/provider-fault.ts";
import type { Registration } from "../../../src/providers/registration.ts";
import { SIMULATOR_ADDRESS, simulatorAddresses } from "../../../src/providers/simulator-address.ts";
import type { StoredConfig } from "../../../src/providers/stored-config.ts";

interface StoredExampleConfig extends StoredConfig {
  readonly exampleKey: string;
  readonly baseUrl: string;
  readonly callback: { readonly kind: "token"; readonly secret: string };
}

const OUR_REFERENCE = /^[0-9A-Za-z]{1,35}$/;

const isExample = (config: StoredConfig): config is StoredExampleConfig => "exampleKey" in config;

/** A provider of the tests' own, as a newcomer would write it. */
export const example: Registration = {
  name: "example",
  profiles: ["example"],
  kinds: ["pix"],
  hasQueue: false,
  callbackHeader: "x-example-token",
  statementOf: () => "pix",
  settingsOf: () => [
    {
      name: "key",
      kind: "text",
      isRequired: true,
      isSecret: true,
      label: ["Chave do exemplo", "Key of the example"],
    },
    {
      name: "callback.token",
      kind: "text",
      isRequired: true,
      isSecret: true,
      label: ["Token dos avisos do exemplo", "Token of the example's callbacks"],
    },
    SIMULATOR_ADDRESS,
  ],
  readConfig: async (_profile, given, policy, { callbackSecret }) => {
    given.check();
    const [exampleKey, addresses] = [given.text("key"), simulatorAddresses(given, policy)];
    const callback = { kind: "token", secret: given.text("callback.token") } as const;
    const config = { exampleKey, baseUrl: given.text("base_url"), callback, callbackSecret };
    const columns = {
      fingerprint: "example",
      lastFour: exampleKey.slice(-4),
      certificateSubject: null,
      certificateNotAfter: null,
      callbackProof: "token",
      isDemo: true,
    } as const;
    return await Promise.resolve({ config, columns, addresses });
  },
  connect: ({ id }, config, deps) => {
    if (!isExample(config)) throw new Error(`${id} has the config of another provider`);
    const pix = new ExamplePix(id, config, deps);
    return {
      kind: "pix",
      provider: pix,
      close: async () => await pix.close(),
      verify: async (url, isRegistered) => {
        if (isRegistered) await pix.call("PUT", "/callback", { url, token: config.callback.secret });
        const found = await pix.call("GET", "/callback");
        return { isAccepted: found !== undefined, isCallbackRegistered: found?.["url"] === url };
      },
    };
  },
};

class ExamplePix implements PixProvider {
  readonly accountId: string;
  readonly isRefundIdempotent = true;
  readonly #config: StoredExampleConfig;
  readonly #clock: Clock;
  readonly #connection: Connection;

  constructor(
    accountId: string,
    config: StoredExampleConfig,
    {
      clock,
      guard,
      limits,
    }: { readonly clock: Clock; readonly guard: AddressGuard; readonly limits: TimeLimits },
  ) {
    this.accountId = accountId;
    this.#config = config;
    this.#clock = clock;
    this.#connection = new Connection(guard, limits);
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  /** Returns an answer's object, or undefined for a 404. Throws ProviderFault. */
  async call(method: "GET" | "PUT" | "DELETE", path: string, body?: object): Promise<Fields | undefined> {
    const { baseUrl, exampleKey } = this.#config;
    const answer = await this.#connection.call(`${baseUrl}${path}`, {
      method,
      headers: { "api-key": exampleKey },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw refusalOf(answer, path, new Date(this.#clock.nowMs()));
    return objectIn(answer.text);
  }

  async createCharge({ reference, amountMinor }: ChargeRequest): Promise<PixCode> {
    const made = await this.call("PUT", `/charges/${reference}`, { amount: Number(amountMinor) });
    if (!made || amountOf(made) !== amountMinor) throw unreadable("amount");
    return { code: null, location: textOf(made, "location") };
  }

  async find(reference: string): Promise<PixState> {
    const charge = await this.call("GET", `/charges/${reference}`);
    const money = charge ? rowsOf(charge, "payments").map(moneyOf) : [];
    const returns = money.flatMap((one) => one.returns);
    return { status: charge ? "waiting" : "absent", receipts: money, returns };
  }

  async cancel(reference: string): Promise<void> {
    await this.call("DELETE", `/charges/${reference}`);
  }

  async refund({ refundId, providerPaymentId, amountMinor }: RefundRequest): Promise<ProviderReturn> {
    const made = await this.call("PUT", `/payments/${providerPaymentId}/${refundId}`, {
      amount: Number(amountMinor),
    });
    const row = made && rowsOf(made, "refunds").find(({ id }) => id === refundId);
    if (!row) throw new ProviderFault("refused", "the example has no such money", { isUndone: true });
    return returnOf(providerPaymentId, row);
  }

  async findRefund({ refundId, providerPaymentId }: RefundLookup): Promise<ProviderReturn | undefined> {
    const { payments } = (await this.call("GET", `/payments?from=0&to=${this.#clock.nowMs()}`)) ?? {};
    const rows = rowsOf({ payments }, "payments").map(moneyOf);
    const money = rows.find((one) => one.providerPaymentId === providerPaymentId);
    return money?.returns.find(({ id }) => id === refundId);
  }

  async *received({ from, to }: ReceivedIn): AsyncGenerator<ReceivedMoney> {
    const answer = await this.call("GET", `/payments?from=${from.getTime()}&to=${to.getTime()}`);
    for (const row of rowsOf(answer ?? {}, "payments")) yield moneyOf(row);
  }

  async *returned(period: ReceivedIn): AsyncGenerator<ReceivedMoney> {
    for await (const money of this.received(period)) if (money.returns.length > 0) yield money;
  }

  readCallback(body: string): readonly CallbackReference[] {
    const { reference, payment } = objectIn(body) ?? {};
    if (typeof reference !== "string" || !OUR_REFERENCE.test(reference)) return [];
    return [{ reference, providerPaymentId: isProviderId(payment) ? payment : null }];
  }
}

function amountOf(row: Fields): bigint {
  return BigInt(Number(row["amount"]));
}

function moneyOf(row: Fields): ReceivedMoney {
  if (!isObject(row)) throw unreadable("payments");
  const id = textOf(row, "id");
  return {
    providerPaymentId: id,
    reference: textOf(row, "reference"),
    amountMinor: amountOf(row),
    paidAt: new Date(Number(row["paidAt"])),
    returns: rowsOf(row, "refunds").map((refund) => returnOf(id, refund)),
  };
}

function returnOf(providerPaymentId: string, row: Fields): ProviderReturn {
  const at = new Date(Number(row["at"]));
  return {
    id: textOf(row, "id"),
    providerPaymentId,
    amountMinor: amountOf(row),
    status: "succeeded",
    reason: null,
    requestedAt: at,
    endedAt: at,
  };
}

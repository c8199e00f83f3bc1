/** What the service answers when it refuses. */
class PaylinkError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, error: { code: string; message: string; request_id: string }) {
    super(`${error.code}: ${error.message} (${error.request_id})`);
    this.status = status;
    this.code = error.code;
  }
}

export interface Quote {
  readonly id: string;
  readonly payer_total: number;
  readonly payer_currency: string;
  readonly receiver_net: number;
  readonly receiver_currency: string;
}

export interface Link {
  readonly id: string;
  readonly checkout_url: string;
  readonly payer_total: number;
}

export interface Payment {
  readonly id: string;
  readonly status: string;
  readonly reference: string | null;
  readonly gross_amount: number;
  readonly gross_currency: string;
  readonly fee_amount: number;
  readonly fee_currency: string;
  readonly net_amount: number;
  readonly net_currency: string;
  /** In gross_currency; absent while nothing went back. */
  readonly refunded_amount?: number;
}

export interface Page {
  readonly data: readonly Payment[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

const TRIES = 4;
const TIMEOUT_MS = 10_000;
const PAUSE_MS = 500;

interface Call {
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The few calls that a shop needs. */
export class Paylink {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  async get<Answer>(path: string): Promise<Answer> {
    return await this.#call<Answer>(path, { method: "GET" });
  }

  /**
   * The idempotency key names what is wanted, for example "accept-order-17", and is the same in every retry, also
   * after a crash of the shop: the service then gives the first answer again instead of doing it twice.
   */
  async post<Answer>(path: string, idempotencyKey: string, body: object): Promise<Answer> {
    const headers = { "content-type": "application/json", "idempotency-key": idempotencyKey };
    return await this.#call<Answer>(path, { method: "POST", headers, body: JSON.stringify(body) });
  }

  /** What may succeed later is tried again: no answer, 429 and 5xx. Everything else is final. */
  async #call<Answer>(path: string, init: Call): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await fetch(`${this.#url}${path}`, {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${this.#key}` },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }).catch((error: unknown) => {
        if (attempt === TRIES) throw new Error(`no answer from ${this.#url}`, { cause: error });
        return undefined;
      });
      if (response?.ok) return (await response.json()) as Answer;
      const isFinal = response && response.status !== 429 && response.status < 500;
      if (response && (isFinal || attempt === TRIES)) throw await refusal(response);
      const wishedSeconds = Number(response?.headers.get("retry-after")) || 0;
      await response?.body?.cancel();
      await new Promise((resolve) => {
        setTimeout(resolve, Math.max(wishedSeconds * 1000, PAUSE_MS * 2 ** (attempt - 1)));
      });
    }
  }
}

async function refusal(response: Response): Promise<Error> {
  const body = (await response.json().catch(() => null)) as {
    error?: PaylinkError & { request_id: string };
  } | null;
  if (body?.error) return new PaylinkError(response.status, body.error);
  return new Error(`the service answered ${response.status}`);
}

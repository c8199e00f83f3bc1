import { startPagarme, type Pagarme } from "../support/pagarme/pagarme.ts";

export const SECRET = "sk_test_000000000000";
export const PUBLIC = "pk_test_000000000000";
export const GATEWAY = "sk_test_gateway00000";
export const NOW = new Date("2026-07-14T12:00:00Z");

export const VISA = "4000000000000010";
export const MASTERCARD = "5162306219378829";
export const AMEX = "378282246310005";

// oxlint-disable-next-line typescript/no-explicit-any
export type Body = any;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

/** A provider whose clock stands still, and what calls it as a merchant and as a browser do. */
export interface CalledPagarme {
  readonly pagarme: Pagarme;
  readonly call: (
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ) => Promise<Answer>;
  readonly token: (card?: object) => Promise<string>;
  /** Asks for an order of 100.01 reais, with a new token unless one is given. */
  readonly order: (options?: OrderOptions) => Promise<Answer>;
  close(): Promise<void>;
}

interface OrderOptions {
  readonly code?: string;
  readonly key?: string;
  readonly token?: string;
  readonly card?: object;
  readonly creditCard?: object;
  readonly fields?: object;
  readonly headers?: Record<string, string>;
}

export const basic = (secret: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${secret}:`).toString("base64")}`,
});

export async function calledPagarme(): Promise<CalledPagarme> {
  const pagarme = await startPagarme({
    accounts: [
      { secretKey: SECRET, publicKey: PUBLIC, domains: ["127.0.0.1"] },
      { secretKey: GATEWAY, publicKey: "pk_test_gateway", isGateway: true, isAntifraudOn: true },
    ],
  });
  pagarme.clock.set(NOW);
  const call: CalledPagarme["call"] = async (method, path, body, headers = {}) => {
    const answer = await fetch(pagarme.baseUrl + path, {
      method,
      headers: { ...basic(SECRET), "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get("content-type")?.includes("json") === true;
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
  };
  const token = async (card: object = {}): Promise<string> => {
    const given = { number: VISA, holder_name: "ANA", exp_month: 12, exp_year: 2030, cvv: "123", ...card };
    return (await call("POST", `/tokens?appId=${PUBLIC}`, { type: "card", card: given })).body.id;
  };
  return {
    pagarme,
    call,
    token,
    order: async ({
      code = "order-1",
      key,
      card,
      creditCard = {},
      fields = {},
      headers = {},
      ...rest
    } = {}) => {
      const card_token = rest.token ?? (await token(card));
      const asked = {
        code,
        items: [{ amount: 10_001, description: "Curso", quantity: 1, code: "1" }],
        customer: { name: "Ana", email: "ana@example.com", document: "24971563792", type: "individual" },
        payments: [{ payment_method: "credit_card", credit_card: { card_token, ...creditCard } }],
        ...fields,
      };
      const withKey = key === undefined ? headers : { "idempotency-key": key, ...headers };
      return await call("POST", "/orders", asked, withKey);
    },
    close: async () => await pagarme.stop(),
  };
}

import { expect } from "vitest";
import { startAsaas, type Asaas } from "../support/asaas/asaas.ts";

export const KEY = "$aact_hmlg_000test";
export const LIVE_KEY = "$aact_prod_000test";
export const OTHER_KEY = "$aact_hmlg_000other";
export const NOW = new Date("2026-07-14T12:00:00Z");

// oxlint-disable-next-line typescript/no-explicit-any
export type Body = any;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

/** A provider whose clock stands still on a Tuesday, and what calls it as a merchant does. */
export interface CalledAsaas {
  readonly asaas: Asaas;
  readonly call: (
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ) => Promise<Answer>;
  /** Asks for a payment or a plan of a customer. */
  readonly charge: (terms: object, key?: string) => Promise<Answer>;
  close(): Promise<void>;
}

export async function calledAsaas({ domain = "shop.example.com", key = KEY } = {}): Promise<CalledAsaas> {
  const asaas = await startAsaas({
    accounts: [{ apiKey: key, domain }, ...(key === KEY ? [{ apiKey: OTHER_KEY }] : [])],
    mode: key === LIVE_KEY ? "production" : "sandbox",
  });
  asaas.clock.set(NOW);
  const call: CalledAsaas["call"] = async (method, path, body, headers = {}) => {
    const answer = await fetch(asaas.baseUrl + path, {
      method,
      headers: { access_token: key, "user-agent": "test", "content-type": "application/json", ...headers },
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
  const customers = new Map<string, string>();
  for (const access_token of key === KEY ? [KEY, OTHER_KEY] : [key]) {
    const made = await call("POST", "/customers", { name: "Ana", cpfCnpj: "24971563792" }, { access_token });
    customers.set(access_token, made.body.id);
  }
  return {
    asaas,
    call,
    charge: async (terms, access_token = key) => {
      const asked = {
        customer: customers.get(access_token),
        billingType: "CREDIT_CARD",
        dueDate: "2026-07-24",
      };
      return await call("POST", "/payments", { ...asked, ...terms }, { access_token });
    },
    close: async () => await asaas.stop(),
  };
}

export const refused = (code: string) => ({
  status: 400,
  body: { errors: [{ code, description: expect.any(String) }] },
});

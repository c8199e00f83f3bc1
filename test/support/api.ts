import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";

/** A REST answer, its body read as JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  /** The body as it was sent. */
  readonly text: string;
  // Tests look into bodies of every shape; what they expect is what types it.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface CallOptions {
  /** Absent: a new one for POST. Null: no header. */
  readonly idempotencyKey?: string | null;
  readonly headers?: Record<string, string>;
}

/** A merchant's client of one key, straight into the gateway. */
export class Api {
  readonly #service: { readonly gateway: FastifyInstance };
  readonly #key: string;

  constructor(service: { readonly gateway: FastifyInstance }, key: string) {
    this.#service = service;
    this.#key = key;
  }

  async post(url: string, body: unknown, { idempotencyKey, headers }: CallOptions = {}): Promise<Answer> {
    const key = idempotencyKey === undefined ? randomUUID() : idempotencyKey;
    return await this.#call("POST", url, typeof body === "string" ? body : JSON.stringify(body), {
      "content-type": "application/json",
      ...(key === null ? {} : { "idempotency-key": key }),
      ...headers,
    });
  }

  async get(url: string, headers: Record<string, string> = {}): Promise<Answer> {
    return await this.#call("GET", url, undefined, headers);
  }

  async delete(url: string, { idempotencyKey, headers }: CallOptions = {}): Promise<Answer> {
    const key = idempotencyKey == null ? {} : { "idempotency-key": idempotencyKey };
    return await this.#call("DELETE", url, undefined, { ...key, ...headers });
  }

  async #call(
    method: "GET" | "POST" | "DELETE",
    url: string,
    payload: string | undefined,
    headers: Record<string, string>,
  ): Promise<Answer> {
    const response = await this.#service.gateway.inject({
      method,
      url,
      headers: { authorization: `Bearer ${this.#key}`, ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
    return {
      status: response.statusCode,
      headers: response.headers,
      text: response.body,
      body: response.body === "" ? undefined : JSON.parse(response.body),
    };
  }
}

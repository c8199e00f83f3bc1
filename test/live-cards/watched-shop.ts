import { ConnectError, createClient, type Client, type Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { ProviderKind, ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { WebhooksService } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import type { DatabaseRows } from "../support/database-rows.ts";
import type { ServiceProcess } from "../support/process.ts";

/** What a shop works with. */
interface ShopDeps {
  readonly service: ServiceProcess;
  readonly rows: DatabaseRows;
  /** Everything that the service answered. */
  readonly answers: string[];
}

interface Started {
  readonly paymentId: string;
  readonly reference: string;
}

/** A tenant with an account for cards, at a service in a process of its own, that keeps each answer. */
export class WatchedShop {
  readonly transport: Transport;
  readonly providers: Client<typeof ProvidersService>;
  readonly as: { headers: Record<string, string> };
  readonly accountId: string;
  /** The path of its callbacks. */
  readonly path: string;
  readonly #deps: ShopDeps;
  readonly #key: string;

  private constructor(
    made: Pick<WatchedShop, "transport" | "providers" | "as" | "accountId" | "path">,
    deps: ShopDeps,
    key: string,
  ) {
    [this.transport, this.providers, this.as] = [made.transport, made.providers, made.as];
    [this.accountId, this.path, this.#deps, this.#key] = [made.accountId, made.path, deps, key];
  }

  static async open(deps: ShopDeps, profile: "asaas" | "pagarme", config: object): Promise<WatchedShop> {
    const { CORE_PORT, CORE_TOKEN } = deps.service.env;
    const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${CORE_PORT}` });
    const authorization = `Bearer ${CORE_TOKEN}`;
    const identity = createClient(IdentityService, transport);
    const internal = { headers: { authorization } };
    const terms = { name: profile, payoutCurrency: "BRL", paymentMethods: ["card"] };
    const { id: tenantId } = await identity.createTenant(terms, internal);
    const { key } = await identity.createApiKey({ tenantId, mode: Mode.LIVE }, internal);
    const as = { headers: { authorization, "paylink-tenant": tenantId, "paylink-mode": "live" } };
    const providers = createClient(ProvidersService, transport);
    const request = { kind: ProviderKind.CARD, profile, [profile]: config };
    const { account, callbackUrl } = await providers.putProviderAccount(request, as);
    const { pathname: path } = new URL(callbackUrl);
    return new WatchedShop({ transport, providers, as, accountId: account?.id ?? "", path }, deps, key);
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const answer = await fetch(this.#deps.service.baseUrl + path, { redirect: "manual", ...init });
    const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`);
    this.#deps.answers.push(`${headers.join("\n")}\n${await answer.clone().text()}`);
    return answer;
  }

  async get(path: string): Promise<Record<string, unknown>> {
    const headers = { authorization: `Bearer ${this.#key}` };
    return (await (await this.#send(path, { headers })).json()) as Record<string, unknown>;
  }

  async post(path: string, body: object): Promise<Record<string, unknown>> {
    const headers = {
      authorization: `Bearer ${this.#key}`,
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID(),
    };
    const answer = await this.#send(path, { method: "POST", headers, body: JSON.stringify(body) });
    return (await answer.json()) as Record<string, unknown>;
  }

  /** Returns the status of a payment. */
  async status(id: string): Promise<unknown> {
    return (await this.get(`/v1/payments/${id}`))["status"];
  }

  /** Opens a session of a new link and sends its form. */
  async pay(form: Record<string, string>): Promise<Started> {
    const terms = { amount: 100_000, currency: "BRL", payment_methods: ["card"], max_installments: 2 };
    const { id } = await this.post("/v1/payment_links", terms);
    const opened = await this.#send(`/pay/${String(id)}/sessions`, { method: "POST" });
    const session = opened.headers.get("location") ?? "";
    const body = new URLSearchParams(form);
    await this.#send(`${session}/payments`, { method: "POST", body });
    await this.#send(session, {});
    const sql = "SELECT payment_id, reference FROM live.charge WHERE session_id = $1";
    const [row] = await this.#deps.rows.read(sql, [session.split("/").at(-1)]);
    return { paymentId: String(row?.["payment_id"]), reference: String(row?.["reference"]) };
  }

  /** Its provider posts a callback. */
  async callBack(body: string, headers: Record<string, string>): Promise<number> {
    return (await this.#send(this.path, { method: "POST", body, headers })).status;
  }

  /** The events of the tenant, each as it is posted to its merchant. */
  async events(): Promise<string> {
    const { events } = await createClient(WebhooksService, this.transport).listEvents({}, this.as);
    const ids = events.map(({ id }) => id);
    const stored = await this.#deps.rows.read(
      "SELECT e::text AS text FROM live.event e WHERE id = ANY ($1)",
      [ids],
    );
    return stored.map(({ text }) => String(text)).join("\n");
  }

  /** Keeps what a call over gRPC comes to, and all that a refusal brings. */
  async kept(call: Promise<object>): Promise<void> {
    const json = (value: unknown): string =>
      JSON.stringify(value, (_key, one: unknown) => (typeof one === "bigint" ? String(one) : one));
    try {
      this.#deps.answers.push(json(await call));
    } catch (thrown) {
      const { rawMessage, metadata, details } = ConnectError.from(thrown);
      const bytes = details.flatMap((one) =>
        "value" in one && one.value instanceof Uint8Array ? [Buffer.from(one.value).toString("latin1")] : [],
      );
      this.#deps.answers.push(json([rawMessage, [...metadata], bytes, details]));
    }
  }
}

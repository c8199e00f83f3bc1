import { ConnectError, createClient, type Client } from "@connectrpc/connect";
import { ErrorInfoSchema } from "#schemas/google/rpc/error_details_pb.js";
import { LinksService, PaymentLinkStatus } from "../../../../gen/paylink/links/v1/links_pb.ts";
import type { RestAnswer } from "../contract.ts";
import { Http } from "../../http.ts";
import type { Target } from "../target.ts";
import type { Tally } from "../tally.ts";
import type { Call } from "./call.ts";
import type { CallerName, World } from "./world.ts";

const TIMEOUT_MS = 30_000;

/** Sends calls: each client over connections of its own, and what has no REST through the core. */
export class Clients {
  readonly #target: Target;
  readonly #tally: Tally;
  readonly #https: readonly Http[];
  readonly #links: Client<typeof LinksService>;

  constructor(target: Target, tally: Tally, count: number) {
    this.#target = target;
    this.#tally = tally;
    this.#https = Array.from({ length: count }, () => new Http(() => target.baseUrl));
    this.#links = createClient(LinksService, target.service.transport);
  }

  /** Sends all calls at once, and gives their answers in the order in which they came. */
  async send(world: World, calls: readonly Call[]): Promise<{ call: Call; answer: RestAnswer }[]> {
    const answered: { call: Call; answer: RestAnswer }[] = [];
    await Promise.all(
      calls.map(async (call, index) => {
        const answer =
          call.operation === "cancel"
            ? await this.#cancel(world, call)
            : await this.#rest(world, call, index);
        this.#tally.status(answer.status);
        answered.push({ call, answer });
      }),
    );
    return answered;
  }

  close(): void {
    for (const http of this.#https) http.close();
  }

  async #rest(world: World, { caller, path, text, key }: Call, index: number): Promise<RestAnswer> {
    const http = this.#https[index % this.#https.length] as Http;
    const authorization = `Bearer ${world.terms[caller].apiKey}`;
    if (text === "") return await http.send({ method: "GET", path, headers: { authorization } }, TIMEOUT_MS);
    const headers = {
      authorization,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(text)),
      ...(key === null ? {} : { "idempotency-key": key }),
    };
    return await http.send({ method: "POST", path, headers, body: text }, TIMEOUT_MS);
  }

  async #cancel(world: World, { caller, id }: Call): Promise<RestAnswer> {
    return await this.#links.cancelPaymentLink({ id }, this.headers(world, caller)).then(
      ({ paymentLink }) => asRest(200, { status: statusWord(paymentLink?.status) }),
      (error: unknown) => {
        const [info] = ConnectError.from(error).findDetails(ErrorInfoSchema);
        const code = info?.reason ?? "internal_error";
        const status = code === "payment_link_not_found" ? 404 : code === "invalid_request" ? 400 : 500;
        const message = `${ConnectError.from(error).rawMessage}.`;
        return asRest(status, { error: { code, message, param: null, request_id: REQUEST_ID } });
      },
    );
  }

  headers(world: World, caller: CallerName): { headers: Record<string, string> } {
    const { tenantId, mode } = world.terms[caller];
    const { headers } = this.#target.service.internal;
    return { headers: { ...headers, "paylink-tenant": tenantId, "paylink-mode": mode } };
  }
}

const REQUEST_ID = "req_00000000000000000000000000";

/** An answer of the core as REST would give it. */
function asRest(status: number, body: object): RestAnswer {
  const headers = { "x-request-id": REQUEST_ID, "content-type": "application/json; charset=utf-8" };
  return { status, headers, text: JSON.stringify(body) };
}

/** A status as the API writes it. */
export function statusWord(status: PaymentLinkStatus | undefined): string {
  return wordOf(PaymentLinkStatus, status);
}

/** The word of an enum's value. */
export function wordOf(words: Readonly<Record<string, number>>, value: number | undefined): string {
  const found = Object.entries(words).find(([, number]) => number === value);
  return found?.[0].toLowerCase() ?? "";
}

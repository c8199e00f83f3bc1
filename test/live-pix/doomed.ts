import { createClient, type Client } from "@connectrpc/connect";
import { until } from "../../tools/drills/failover/waiting.ts";
import { ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import type { DatabaseRows } from "../support/database-rows.ts";
import type { Merchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import type { TestService } from "../support/service.ts";
import type { Order } from "./core-process.ts";
import { KillableCore } from "./killable-core.ts";
import type { Stops } from "./stops.ts";

const SILENT_MS = 30_000;

/** Where a process is killed: the service beside it, and what their provider is asked. */
export interface Stage {
  readonly service: TestService;
  readonly rows: DatabaseRows;
  readonly requests: readonly { readonly call: string | null; readonly status: number | null }[];
}

/** What proves a callback. */
export type Proof = { readonly hmac: string } | { readonly token: string } | { readonly signature: string };

/** A core in a process of its own. It is brought to many steps at once, and is then killed at all of them. */
export class Doomed {
  readonly stops: Stops;
  readonly providers: Client<typeof ProvidersService>;
  readonly #refunds: Client<typeof RefundsService>;
  readonly #core: KillableCore;
  readonly #stage: Stage;

  private constructor(stage: Stage, core: KillableCore) {
    this.#stage = stage;
    this.#core = core;
    this.stops = core.stops;
    this.providers = createClient(ProvidersService, core.transport);
    this.#refunds = createClient(RefundsService, core.transport);
  }

  static async start(stage: Stage): Promise<Doomed> {
    return new Doomed(stage, await KillableCore.start(stage.service, stage.rows));
  }

  /** Lets it run a task. Resolves when that has ended. */
  async run(task: Order["task"], seconds = 0): Promise<void> {
    await this.#core.run(task, seconds);
  }

  /** Lets it start a session's payment, which it may not live to answer. Resolves when it has. */
  async begin(linkId: string, sessionId: string, request: Parameters<Payer["start"]>[0] = {}): Promise<void> {
    const { service } = this.#stage;
    const payer = new Payer(
      { ...service, core: { ...service.core, transport: this.#core.transport } },
      linkId,
    );
    payer.sessionId = sessionId;
    await payer.start(request).catch(() => undefined);
  }

  /** Lets it refund a payment. Resolves when it has answered. */
  async refund(merchant: Pick<Merchant, "as">, id: string, key: string): Promise<void> {
    const headers = { ...merchant.as.headers, "idempotency-key": key };
    await this.#refunds.createRefund({ id }, { headers });
  }

  /** Lets it take a callback. Resolves when it has answered. */
  async callBack({ path }: { readonly path: string }, told: object | string, proof: Proof): Promise<void> {
    const body = Buffer.from(typeof told === "string" ? told : JSON.stringify(told));
    const secret = path.split("/").at(-1) ?? "";
    await this.providers.takeCallback({ secret, ...proof, body }, this.#stage.service.internal);
  }

  /** Does it, and waits until the provider has a request of this name that it does not answer. */
  async untilSilent(call: string, act: () => void): Promise<void> {
    const { requests } = this.#stage;
    const from = requests.length;
    act();
    const isSilent = (): boolean =>
      requests.slice(from).some((one) => one.call === call && one.status === null);
    await until(`a silent ${call}`, SILENT_MS, async () => await Promise.resolve(isSilent()));
  }

  /** Waits until each of its stops is reached, kills it by SIGKILL, and undoes what it had not committed. */
  async kill(): Promise<void> {
    await this.#core.kill();
  }
}

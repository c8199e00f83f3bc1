import { createClient, type Client } from "@connectrpc/connect";
import { until } from "../../drills/failover/waiting.ts";
import type { CallName } from "../../bank/faults.ts";
import { ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import type { LiveMerchant, Started } from "../provider-accounts/live-merchant.ts";
import { Payer } from "../support/payer.ts";
import type { Order } from "./core-process.ts";
import { KillableCore } from "./killable-core.ts";
import type { Scene } from "./scene.ts";
import type { Stops } from "./stops.ts";

const SILENT_MS = 30_000;

/** A core in a process of its own. It is brought to many steps at once, and is then killed at all of them. */
export class Doomed {
  readonly stops: Stops;
  readonly providers: Client<typeof ProvidersService>;
  readonly #refunds: Client<typeof RefundsService>;
  readonly #core: KillableCore;
  readonly #scene: Scene;

  private constructor(scene: Scene, core: KillableCore) {
    this.#scene = scene;
    this.#core = core;
    this.stops = core.stops;
    this.providers = createClient(ProvidersService, core.transport);
    this.#refunds = createClient(RefundsService, core.transport);
  }

  static async start(scene: Scene): Promise<Doomed> {
    return new Doomed(scene, await KillableCore.start(scene.live.service, scene.rows));
  }

  /** Lets it run a task. */
  run(task: Order["task"], seconds = 0): void {
    this.#core.run(task, seconds);
  }

  /** Lets it start a session's payment, which it may not live to answer. */
  begin(linkId: string, sessionId: string): void {
    const { service } = this.#scene.live;
    const payer = new Payer(
      { ...service, core: { ...service.core, transport: this.#core.transport } },
      linkId,
    );
    payer.sessionId = sessionId;
    payer.start().catch(() => undefined);
  }

  /** Lets it refund a payment. Resolves when it has answered. */
  async refund(merchant: LiveMerchant, id: string, key: string): Promise<void> {
    const headers = { ...merchant.as.headers, "idempotency-key": key };
    await this.#refunds.createRefund({ id }, { headers });
  }

  /** Lets it take a callback about a charge. Resolves when it has answered. */
  async callBack({ path }: LiveMerchant, { reference: txid }: Started, hmac: string): Promise<void> {
    const body = Buffer.from(JSON.stringify({ pix: [{ txid }] }));
    const secret = path.split("/").at(-1) ?? "";
    await this.providers.takeCallback({ secret, hmac, body }, this.#scene.live.service.internal);
  }

  /** Does it, and waits until the bank has a request of this name that it does not answer. */
  async untilSilent(call: CallName, act: () => void): Promise<void> {
    const { requests } = this.#scene.live.bank;
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

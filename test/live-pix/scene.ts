import { createClient } from "@connectrpc/connect";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { ClientOptions, Money } from "../../tools/bank/state.ts";
import type { Tasks } from "../../src/worker.ts";
import { CLIENT } from "../api-pix/connected.ts";
import {
  advance,
  connectMerchant,
  startLive,
  type LiveMerchant,
  type LiveService,
} from "../provider-accounts/live-merchant.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import type { ServiceSettings } from "../support/service.ts";
import { outcomeOf, type Outcome } from "./outcome.ts";

const OTHERS = 5;
const CLIENTS: readonly ClientOptions[] = [
  CLIENT,
  ...Array.from({ length: OTHERS }, (_, index) => ({
    id: `Client_Id_${index + 2}`,
    secret: CLIENT.secret,
    keys: [`loja${index + 2}@example.com`],
  })),
];
const TASKS = ["answerCallbacks", "checkCharges", "checkRefunds", "sweepProviders"] as const;

/** A service in live mode with its bank, which has several clients: each merchant may be one of its own. */
export class Scene {
  readonly live: LiveService;
  readonly rows: DatabaseRows;
  /** What background tasks and requests reported as faults since they were last looked at. */
  readonly faults: unknown[] = [];
  #merchants = 0;

  private constructor(live: LiveService, rows: DatabaseRows) {
    this.live = live;
    this.rows = rows;
  }

  static async start(settings: ServiceSettings = {}, clients = CLIENTS): Promise<Scene> {
    const live = await startLive(
      { providerLimits: { connectMs: 2000, answerMs: 300 }, ...settings },
      { clients },
    );
    return new Scene(live, await new DatabaseRows(live.service.databaseUrl).open());
  }

  /** Connects a merchant to a client of the bank that no other merchant has, while there are any. */
  async merchant(): Promise<LiveMerchant & { readonly clientId: string }> {
    const number = Math.min(++this.#merchants, OTHERS + 1);
    const clientId = `Client_Id_${number}`;
    const given = number === 1 ? {} : { clientId, pixKey: `loja${number}@example.com` };
    return { ...(await connectMerchant(this.live, undefined, given)), clientId };
  }

  /** Registers the merchant's callbacks at the bank. Returns the secret of their address. */
  async register({ accountId: id, as }: LiveMerchant): Promise<string> {
    await this.live.providers.verifyProviderAccount({ id, isRegistered: true }, as);
    const put = this.live.bank.requests.findLast(({ call }) => call === "setWebhook");
    const { webhookUrl } = JSON.parse(put?.text ?? "") as { webhookUrl: string };
    return new URL(webhookUrl).searchParams.get("hmac") ?? "";
  }

  /** Pays a charge so many seconds before or after its end, whenever the bank says so. */
  async payAtEnd(reference: string, seconds: number): Promise<Money> {
    const [row] = await this.rows.read("SELECT expires_at FROM live.charge WHERE reference = $1", [
      reference,
    ]);
    const end = row?.["expires_at"] as Date;
    return this.live.bank.pay(reference, 15_990n, new Date(end.getTime() + seconds * 1000));
  }

  /** Moves the clocks, and runs each background task once. What fails is kept in `faults`. */
  async pass(seconds: number, tasks: readonly (keyof Tasks)[] = TASKS): Promise<void> {
    advance(this.live, seconds);
    for (const task of tasks) {
      await this.live.service.core.tasks[task]().catch((error: unknown) => this.faults.push(error));
    }
    this.faults.push(...this.live.service.faults.splice(0));
  }

  async outcome(of: Pick<LiveMerchant, "api">, paymentId: string): Promise<Outcome> {
    return await outcomeOf(this.rows, of, paymentId);
  }

  /** What the ledger's check finds wrong in live mode. */
  async problems(): Promise<unknown[]> {
    const { core, internal } = this.live.service;
    const client = createClient(LedgerService, core.transport);
    return (await client.checkLedger({ mode: Mode.LIVE }, internal)).problems;
  }

  async close(): Promise<void> {
    this.live.service.faults.length = 0;
    await this.rows.close();
    await this.live.close();
  }
}

import type { Call } from "../platform/call.ts";
import type { Mode } from "../platform/caller.ts";
import type { PixProvider, ReceivedMoney } from "../providers/ports.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import { backgroundCall } from "./callbacks.ts";
import type { AccountCharges, AccountsDeps } from "./deps.ts";
import type { AccountRow, SweepKind, UnknownMoneyRow } from "./entities.ts";
import type { LiveProviders } from "./live-providers.ts";
import {
  endSweep,
  findAccount,
  listUnresolved,
  registerUnknown,
  resolveUnknown,
  takeDueSweeps,
  type TakenSweep,
} from "./repository.ts";
import { cursorAfter, dueAfter, dueAfterFailure, periodOfSweep } from "./sweep-times.ts";

/** What was found in one statement. */
interface Swept {
  readonly moneyCount: number;
  readonly unknownCount: number;
}

// A worker that takes longer counts as dead.
const LEASE_SECONDS = 900;

/** Reads accounts' statements, and compares them with the charges. */
export class Sweeps {
  readonly #deps: AccountsDeps;
  readonly #live: LiveProviders;
  readonly #charges: AccountCharges;

  constructor(deps: AccountsDeps, live: LiveProviders, charges: AccountCharges) {
    this.#deps = deps;
    this.#live = live;
    this.#charges = charges;
  }

  /** Runs the sweeps that are due. Returns their number. Throws the faults after all others are done. */
  async runDue(mode: Mode): Promise<number> {
    const { environments, clock } = this.#deps;
    const due = await takeDueSweeps(environments[mode], new Date(clock.nowMs()), LEASE_SECONDS);
    const faults: unknown[] = [];
    for (const taken of due) {
      const row = await findAccount(environments[mode], taken.tenantId, taken.accountId);
      if (!row) continue;
      await this.run(mode, row, taken).catch((error: unknown) => faults.push(error));
    }
    if (faults.length > 0) throw new AggregateError(faults, "statements could not be read");
    return due.length;
  }

  /** Reads one statement of an account, and notes when it is due again. Throws what the provider's client throws. */
  async run(mode: Mode, row: AccountRow, taken: TakenSweep): Promise<Swept> {
    const { environments, clock } = this.#deps;
    const { kind, sweptTo } = taken;
    const now = new Date(clock.nowMs());
    const period = periodOfSweep(kind, sweptTo, now);
    try {
      const { provider } = await this.#live.connect(row);
      const call = backgroundCall(row.tenantId, mode);
      const money = period === null ? [] : await moneyOf(provider, kind, period);
      const unknownCount = await this.#compare(call, row, kind, money);
      await this.#resolve(call, row);
      const ended = { sweptTo: cursorAfter(kind, now), dueAt: dueAfter(kind, now), failureCount: 0 };
      await endSweep(environments[mode], taken, ended);
      return { moneyCount: money.length, unknownCount };
    } catch (error) {
      const failureCount = taken.failureCount + 1;
      const retryAfter = error instanceof ProviderFault ? error.retryAfterSeconds : null;
      const dueAt = dueAfterFailure(failureCount, now, retryAfter);
      await endSweep(environments[mode], taken, { sweptTo, dueAt, failureCount });
      throw error;
    }
  }

  /** Gives each amount to its charge. Registers what no charge has. Returns how many these are. */
  async #compare(
    call: Call,
    { tenantId, id: accountId }: AccountRow,
    kind: SweepKind,
    money: readonly ReceivedMoney[],
  ): Promise<number> {
    const { environments, clock, log } = this.#deps;
    const known = await this.#takenOf(call, money);
    // What a charge has already may have been returned since: the charge says how much.
    const asked = money.filter(({ providerPaymentId: id }) => kind === "returns" || !known.has(id));
    const references = new Set(asked.flatMap(({ reference }) => reference ?? []));
    for (const reference of references) await this.#charges.refresh(call, accountId, reference);
    const taken = await this.#takenOf(call, asked);
    const unknown = asked.filter(({ providerPaymentId }) => !taken.has(providerPaymentId));
    let newCount = 0;
    for (const {
      providerPaymentId: endToEndId,
      reference: txid,
      amountMinor,
      paidAt: receivedAt,
    } of unknown) {
      const createdAt = new Date(clock.nowMs());
      const about = { tenantId, accountId, endToEndId, txid, amountMinor, receivedAt };
      const row = { ...about, createdAt, resolvedAt: null };
      if (await registerUnknown(environments[call.mode], row)) newCount++;
    }
    if (newCount > 0) {
      log.error({ mode: call.mode, count: newCount }, "money of a provider belongs to no charge");
    }
    return new Set(unknown.map(({ providerPaymentId }) => providerPaymentId)).size;
  }

  /** Takes out of the register what a charge has by now. */
  async #resolve(call: Call, row: AccountRow): Promise<void> {
    const { environments, clock } = this.#deps;
    const open = await listUnresolved(environments[call.mode], row);
    const ids = open.map(({ endToEndId }) => endToEndId);
    const taken = ids.length > 0 ? await this.#charges.taken(call, ids) : new Set<string>();
    const found = open.filter(({ endToEndId }: UnknownMoneyRow) => taken.has(endToEndId));
    for (const money of found) {
      await resolveUnknown(environments[call.mode], money, new Date(clock.nowMs()));
    }
  }

  async #takenOf(call: Call, money: readonly ReceivedMoney[]): Promise<ReadonlySet<string>> {
    if (money.length === 0) return new Set();
    return await this.#charges.taken(
      call,
      money.map(({ providerPaymentId }) => providerPaymentId),
    );
  }
}

async function moneyOf(
  provider: PixProvider,
  kind: SweepKind,
  period: { readonly from: Date; readonly to: Date },
): Promise<ReceivedMoney[]> {
  return await Array.fromAsync(kind === "returns" ? provider.returned(period) : provider.received(period));
}

import { daysText } from "../../contract/day.ts";
import type { Call } from "../platform/rpc/call.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import { secondsAfter } from "../platform/time/clock.ts";
import { DueWork } from "../platform/work/due-work.ts";
import type { ReceivedIn, ReceivedMoney } from "../providers/ports.ts";
import { isOutage, ProviderFault } from "../providers/provider-fault.ts";
import { backgroundCall } from "./callbacks.ts";
import type { AccountCharges, AccountsDeps } from "./deps.ts";
import type { AccountRow, SweepKind } from "./entities.ts";
import type { Connected, LiveProviders } from "./live-providers.ts";
import {
  dueSweeps,
  endSweep,
  findAccount,
  renewSweep,
  takenSweep,
  type DueSweep,
  type TakenSweep,
} from "./repository.ts";
import { registerUnknown, resolveUnknown, roomForUnknown, unresolvedMoney } from "./unknown-money.ts";
import { askAbout, isOfOne, requireTime } from "./sweep-charges.ts";
import { readCredits, readMoney, readReturns, Seen, type Swept } from "./sweep-money.ts";
import {
  cursorAfter,
  daysOf,
  dueAfter,
  dueAfterFailure,
  halvesOf,
  partsToRead,
  periodOfSweep,
  statementOf,
  unreadOf,
} from "./sweep-times.ts";

/** A part of one account's statement that is read. */
interface Reading {
  readonly connected: Connected;
  readonly row: AccountRow;
  readonly kind: SweepKind;
  readonly part: ReceivedIn;
  readonly failureCount: number;
  readonly signal: AbortSignal;
}

// A worker that does not renew its sweep for so long counts as dead.
const LEASE_SECONDS = 45;
const RENEWAL_MS = 15_000;
// After these times no request of a sweep goes on.
const SWEEP_MS = 300_000;

/** Reads accounts' statements, and compares them with the charges. */
export class Sweeps {
  readonly #deps: AccountsDeps;
  readonly #live: LiveProviders;
  readonly #charges: AccountCharges;
  readonly #work: Readonly<Record<Mode, DueWork<DueSweep>>>;

  constructor(deps: AccountsDeps, live: LiveProviders, charges: AccountCharges) {
    this.#deps = deps;
    this.#live = live;
    this.#charges = charges;
    this.#work = { live: this.#workOf("live"), test: this.#workOf("test") };
  }

  /** Runs the sweeps that are due, one of an account at a time. Returns their number. Throws the faults of those that ended. */
  async runDue(mode: Mode): Promise<number> {
    return await this.#work[mode].round();
  }

  #workOf(mode: Mode): DueWork<DueSweep> {
    const { environments, clock, log } = this.#deps;
    const environment = environments[mode];
    return new DueWork({
      clock,
      rows: dueSweeps(environment, clock, LEASE_SECONDS),
      concurrency: { ofAccount: 1 },
      run: async (due) => {
        const row = await findAccount(environment, due.tenantId, due.accountId);
        if (row) await this.#runLeased(mode, row, takenSweep(due));
      },
      isOutage,
      onLateFault: (error) => log.error({ err: error, mode }, "a statement could not be read"),
      failure: "statements could not be read",
    });
  }

  /** Runs a sweep that was taken, and keeps it from other workers until it ends. */
  async #runLeased(mode: Mode, row: AccountRow, taken: TakenSweep): Promise<void> {
    const { environments, clock, log } = this.#deps;
    const renewal = setInterval(() => {
      const until = secondsAfter(new Date(clock.nowMs()), LEASE_SECONDS);
      renewSweep(environments[mode], taken, until).catch((error: unknown) =>
        log.error({ err: error, mode }, "a sweep's lease was not renewed"),
      );
    }, RENEWAL_MS);
    try {
      await this.run(mode, row, taken, AbortSignal.timeout(SWEEP_MS));
    } finally {
      clearInterval(renewal);
    }
  }

  /**
   * Reads one statement of an account, the newest part first, and notes what was not read and when it is due again. It
   * goes on past an older part that the provider refuses. Throws what the provider's client throws otherwise. After the
   * signal no request of it goes on. The next one reads what this one has left.
   */
  async run(mode: Mode, row: AccountRow, taken: TakenSweep, signal: AbortSignal): Promise<Swept> {
    const { environments, clock } = this.#deps;
    const { kind, failureCount: failures } = taken;
    const now = new Date(clock.nowMs());
    const period = periodOfSweep(taken, now, statementOf(row));
    const parts = partsToRead(taken, period, now, statementOf(row));
    let readCount = 0;
    const seen = new Seen();
    try {
      requireTime(signal);
      const connected = await this.#live.connect(row);
      const call = backgroundCall(row.tenantId, mode);
      for (let part = parts[0]; part; part = parts[0]) {
        let halves: ReturnType<typeof halvesOf>;
        try {
          await this.#readPart(call, { connected, row, kind, part, failureCount: failures, signal }, seen);
          readCount++;
        } catch (error) {
          // Of an account whose newest part is refused, nothing can be read.
          const isFirst = period !== null && readCount === 0;
          if (isFirst || signal.aborted || !isOfOne(error, failures)) throw error;
          // One day of many may be what is refused.
          halves = halvesOf(part);
          if (!halves) seen.skipped.push(part);
        }
        parts.splice(0, 1, ...(halves ?? []));
      }
      await this.#resolve(call, row);
      const unread = unreadOf(seen.skipped);
      const ended = { sweptTo: cursorAfter(kind, now), dueAt: dueAfter(kind, now), failureCount: 0, unread };
      await endSweep(environments[mode], taken, ended);
      return seen;
    } catch (error) {
      const hasPart = readCount > 0;
      // A sweep whose time is over goes on soon, if it got further than to the newest part.
      const failureCount = signal.aborted && readCount > 1 ? 1 : failures + 1;
      const named = error instanceof ProviderFault ? error.retryAfterSeconds : null;
      // The provider counts from its answer.
      const retryAfter = named === null ? null : named + (clock.nowMs() - now.getTime()) / 1000;
      const dueAt = dueAfterFailure(failureCount, now, retryAfter);
      const readTo = hasPart && period ? new Date(period.to.getTime() + 1) : period?.from;
      const sweptTo = readTo ?? taken.sweptTo;
      const unread = hasPart ? unreadOf([...seen.skipped, ...parts]) : taken.unread;
      await endSweep(environments[mode], taken, { sweptTo, dueAt, failureCount, unread });
      throw error;
    } finally {
      this.#report(mode, row, seen);
    }
  }

  /** Reads a part of an account's statement, and adds what is in it to what was seen. */
  async #readPart(call: Call, reading: Reading, seen: Seen): Promise<void> {
    const { connected, row, kind, part, signal } = reading;
    const { statement } = connected;
    if (statement) {
      for await (const money of readMoney(statement, kind, part, signal)) {
        seen.moneyCount += money.length;
        await this.#compare(call, reading, money, seen);
      }
      return;
    }
    if (connected.kind !== "card" || !connected.returnList) throw new Error(`${row.id} has no statement`);
    for await (const ids of readReturns(connected.returnList, part, signal)) {
      seen.moneyCount += ids.length;
      await this.#ask(call, reading, await this.#charges.referencesOfMoney(call, row.id, ids));
    }
    for await (const ids of readCredits(connected.returnList, part, signal)) {
      await this.#ask(call, reading, await this.#charges.referencesOfUntaken(call, row.id, ids));
    }
  }

  async #ask(
    call: Call,
    { row, failureCount, signal }: Reading,
    references: readonly string[],
  ): Promise<void> {
    const asked = { accountId: row.id, failureCount, signal };
    await askAbout(this.#deps, this.#charges, call, references, asked);
  }

  /** Reports money without a charge and days that were passed over once a sweep, however many parts have some. */
  #report(mode: Mode, { id: accountId }: AccountRow, { newCount, isFull, skipped }: Seen): void {
    const { log } = this.#deps;
    if (skipped.length > 0) {
      const days = daysText(daysOf(unreadOf(skipped)));
      log.error({ mode, account_id: accountId, days }, "days of a statement are skipped");
    }
    if (newCount > 0) log.error({ mode, count: newCount }, "money of a provider belongs to no charge");
    if (isFull) {
      log.error({ mode, account_id: accountId }, "an account has more money without a charge than is kept");
    }
  }

  /** Gives each amount to its charge. Registers what no charge has, and adds it to what was seen. */
  async #compare(call: Call, reading: Reading, money: readonly ReceivedMoney[], seen: Seen): Promise<void> {
    const { row: account, kind } = reading;
    const { tenantId, id: accountId } = account;
    const { environments, clock } = this.#deps;
    const known = await this.#takenOf(call, accountId, money);
    // What a charge has already may have been returned since: the charge says how much.
    const asked = money.filter(({ providerPaymentId: id }) => kind === "returns" || !known.has(id));
    const references = new Set(asked.flatMap(({ reference }) => reference ?? []));
    const own = await this.#charges.referencesOf(call, accountId, [...references]);
    // A list of returns may leave out the txid.
    const ofKnown =
      kind === "returns" ? await this.#charges.referencesOfMoney(call, accountId, [...known]) : [];
    await this.#ask(call, reading, [...new Set([...own, ...ofKnown])]);
    const taken = await this.#takenOf(call, accountId, asked);
    const unknown = asked.filter(({ providerPaymentId }) => !taken.has(providerPaymentId));
    const room = unknown.length === 0 ? 0 : await roomForUnknown(environments[call.mode], account);
    if (unknown.length > room) seen.isFull = true;
    for (const {
      providerPaymentId: endToEndId,
      reference: txid,
      amountMinor,
      paidAt: receivedAt,
    } of unknown.slice(0, room)) {
      const createdAt = new Date(clock.nowMs());
      const row = { tenantId, accountId, endToEndId, txid, amountMinor, receivedAt, createdAt };
      if (await registerUnknown(environments[call.mode], row)) seen.newCount++;
    }
    seen.unknownCount += new Set(unknown.map(({ providerPaymentId }) => providerPaymentId)).size;
  }

  /** Takes out of the register what a charge has by now. */
  async #resolve(call: Call, row: AccountRow): Promise<void> {
    const { environments, clock } = this.#deps;
    const environment = environments[call.mode];
    for await (const part of unresolvedMoney(environment, row)) {
      const taken = await this.#takenOf(call, row.id, part);
      for (const id of taken) await resolveUnknown(environment, row, id, new Date(clock.nowMs()));
    }
  }

  async #takenOf(
    call: Call,
    accountId: string,
    money: Parameters<AccountCharges["takenMoney"]>[2],
  ): Promise<ReadonlySet<string>> {
    return money.length === 0 ? new Set() : await this.#charges.takenMoney(call, accountId, money);
  }
}

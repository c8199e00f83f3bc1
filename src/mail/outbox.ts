import { newId } from "../../contract/ids.ts";
import type pg from "pg";
import { within, type Change } from "../platform/write/change.ts";
import { secondsAfter, wholeSecond, type Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { dueRows, type DueTable } from "../platform/work/due-table.ts";
import { DueWork, type DueRow } from "../platform/work/due-work.ts";
import type { Encryption } from "../platform/db/encryption.ts";
import { MailFailure, type Content, type Mailer } from "./mailer.ts";

export interface OutboxDeps {
  readonly identity: Environment;
  readonly clock: Clock;
  readonly encryption: Encryption;
  readonly mailer: Pick<Mailer, "send">;
  readonly log: {
    error(details: object, message: string): void;
    info(details: object, message: string): void;
  };
}

/** An e-mail to write. */
export interface Outgoing {
  readonly content: Content;
  /** It is given up after so many seconds. */
  readonly lifeSeconds: number;
  /** The tenant in whose turn it is sent. */
  readonly tenantId: string;
  /** The one-time link in it: it is dropped when that ends. */
  readonly linkId?: string;
  /** True: a user asked for it, and it waits for none of the others. */
  readonly isFirst?: boolean;
}

interface Due extends DueRow {
  readonly id: string;
  readonly contentSealed: string;
  /** True: its time is over. */
  readonly isOver: boolean;
  readonly attemptCount: number;
}

// The links that users asked for have permits of their own.
const CONCURRENCY = { asked: 2, others: 3 };
/** Longer than an attempt may take: meanwhile no other worker takes the e-mail. */
const FIRST_WAIT_SECONDS = 60;
const WAIT_SECONDS_MAX = 3600;
// A user who waits for a link gets it this soon after an outage.
const PAUSE_MS_MAX = 15_000;

/**
 * E-mails that wait, each due for an attempt: those with links that users asked for, or the others. All are of one account,
 * the server's. A link that a user asked for ends soon: it is tried each minute.
 */
function dueMails(isFirst: boolean): DueTable<Due> {
  const wait = isFirst
    ? String(FIRST_WAIT_SECONDS)
    : `least(${FIRST_WAIT_SECONDS} * 2.0 ^ least(attempt_count, 20), ${WAIT_SECONDS_MAX})`;
  return {
    name: isFirst ? "e-mails with asked links" : "e-mails",
    table: "mail",
    key: ["id"],
    due: "due_at",
    where: isFirst ? "is_first" : "NOT is_first",
    columns: {
      tenantId: "coalesce(tenant_id, '')",
      accountId: "'smtp'::text",
      id: "id",
      contentSealed: "content_sealed",
      isOver: "ends_at <= $1",
      attemptCount: "attempt_count",
    },
    taken: `attempt_count = attempt_count + 1, due_at = $1::timestamptz + make_interval(secs => ${wait})`,
  };
}

/**
 * E-mails that wait in the database. One is written in the transaction of what it is about, and its row goes when the
 * server has taken it: a crash loses none. It is sent twice only if the process ends, or the connection breaks, between
 * the server's acceptance and the removal of the row; both then have one Message-ID.
 */
export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #ending = new AbortController();
  readonly #asked: DueWork<Due>;
  readonly #others: DueWork<Due>;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
    this.#asked = this.#workOf(true, CONCURRENCY.asked);
    this.#others = this.#workOf(false, CONCURRENCY.others);
  }

  /** Returns the change that writes an e-mail. */
  insertMail(mail: Outgoing): Change {
    return within(async (client) => await this.write(client, mail));
  }

  /** Writes an e-mail in a transaction. */
  async write(client: pg.PoolClient, mail: Outgoing): Promise<void> {
    const { clock, encryption } = this.#deps;
    const { content, lifeSeconds, tenantId, linkId = null, isFirst = false } = mail;
    const id = newId("eml");
    const now = wholeSecond(clock);
    const sealed = await encryption.encrypt(JSON.stringify(content), id);
    await client.query({
      name: "write mail",
      text: `INSERT INTO mail (id, content_sealed, created_at, due_at, ends_at, attempt_count, tenant_id, link_id, is_first)
        VALUES ($1, $2, $3, $3, $4, 0, $5, $6, $7)`,
      values: [id, sealed, now, secondsAfter(now, lifeSeconds), tenantId, linkId, isFirst],
    });
  }

  /** Sends the e-mails that are due with links that users asked for. Any number of workers may do so at a time. */
  async sendAsked(): Promise<void> {
    await withoutMailFailures(this.#asked.round());
  }

  /** Sends the others that are due. */
  async sendOthers(): Promise<void> {
    await withoutMailFailures(this.#others.round());
  }

  /** Ends the sending at once. What was not sent stays. */
  async end(): Promise<void> {
    this.#ending.abort();
    await Promise.all([this.#asked.stop(), this.#others.stop()]);
  }

  #workOf(isFirst: boolean, ofAccount: number): DueWork<Due> {
    const { identity, clock, log } = this.#deps;
    return new DueWork({
      clock,
      rows: dueRows(identity.pool, clock, dueMails(isFirst)),
      concurrency: { ofAccount },
      pauseMsMax: PAUSE_MS_MAX,
      run: async (due) => await this.#send(due),
      isOutage: (error) => error instanceof MailFailure,
      onLateFault: (error) => {
        if (!(error instanceof MailFailure)) log.error({ err: error }, "an e-mail could not be looked after");
      },
      failure: "e-mails could not be looked after",
    });
  }

  /** Throws MailFailure if the server takes no further e-mails. */
  async #send({ id, contentSealed, isOver, attemptCount }: Due): Promise<void> {
    const { encryption, mailer, log } = this.#deps;
    if (isOver) {
      log.error({ count: attemptCount - 1 }, "an e-mail was given up");
      await this.#remove(id);
      return;
    }
    const content = JSON.parse(await encryption.decrypt(contentSealed, id)) as Content;
    try {
      await mailer.send(id, content, this.#ending.signal);
    } catch (error) {
      if (!(error instanceof MailFailure)) throw error;
      const { code, isFinal, isOfOne } = error;
      if (isFinal) {
        log.error({ code, count: attemptCount }, "an e-mail was given up");
        await this.#remove(id);
      } else if (!this.#ending.signal.aborted) {
        log.info({ code, count: attemptCount }, "an e-mail was not sent and waits");
      }
      if (!isOfOne) throw error;
      return;
    }
    await this.#remove(id);
  }

  async #remove(id: string): Promise<void> {
    await this.#deps.identity.pool.query({
      name: "remove mail",
      text: "DELETE FROM mail WHERE id = $1",
      values: [id],
    });
  }
}

/** Waits for a round. Throws its failures but for those of servers, which are logged. */
async function withoutMailFailures(round: Promise<unknown>): Promise<void> {
  try {
    await round;
  } catch (error) {
    const faults = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
    if (!faults.every((fault) => fault instanceof MailFailure)) throw error;
  }
}

import { newId } from "../../contract/ids.ts";
import type pg from "pg";
import { within, type Change } from "../platform/change.ts";
import { secondsAfter, wholeSecond, type Clock } from "../platform/clock.ts";
import type { Environment } from "../platform/database.ts";
import type { Encryption } from "../platform/encryption.ts";
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
  /** True: it goes before all that are not. */
  readonly isFirst?: boolean;
}

interface Due {
  readonly id: string;
  readonly tenantId: string;
  readonly contentSealed: string;
  /** True: its time is over. */
  readonly isOver: boolean;
  readonly attemptCount: number;
}

/** Longer than an attempt may take: meanwhile no other worker takes the e-mail. */
const FIRST_WAIT_SECONDS = 60;
const WAIT_SECONDS_MAX = 3600;

/**
 * E-mails that wait in the database. One is written in the transaction of what it is about, and its row goes when the
 * server has taken it: a crash loses none. It is sent twice only if the process ends, or the connection breaks, between
 * the server's acceptance and the removal of the row; both then have one Message-ID.
 */
export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #ending = new AbortController();
  /** The tenant that had the latest turn. */
  #served = "";

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
  }

  /** Returns the change that writes an e-mail. */
  change(mail: Outgoing): Change {
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

  /** Sends what is due, one after the other. Any number of workers may do so at a time. */
  async sendDue(): Promise<void> {
    for (;;) {
      if (this.#ending.signal.aborted) return;
      const due = await this.#take();
      if (!due) return;
      if (!(await this.#send(due))) return;
    }
  }

  /** Ends the sending at once. What was not sent stays. */
  end(): void {
    this.#ending.abort();
  }

  /** Returns whether the server takes further e-mails. */
  async #send({ id, contentSealed, isOver, attemptCount }: Due): Promise<boolean> {
    const { encryption, mailer, log } = this.#deps;
    if (isOver) {
      log.error({ count: attemptCount - 1 }, "an e-mail was given up");
      await this.#remove(id);
      return true;
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
      return isOfOne;
    }
    await this.#remove(id);
    return true;
  }

  /**
   * Takes an e-mail for an attempt: until its next one, also of a process that ends, it is no one else's. Tenants take
   * turns in the order of their ids, each with its oldest one, so that no tenant's many hold up another's. A link that a user
   * asked for ends soon: it is tried each minute.
   */
  async #take(): Promise<Due | undefined> {
    const { identity, clock } = this.#deps;
    const now = wholeSecond(clock);
    const { rows } = await identity.pool.query<Due>({
      name: "take mail",
      text: `UPDATE mail SET attempt_count = attempt_count + 1,
          due_at = $1::timestamptz +
            make_interval(secs => CASE WHEN is_first THEN $2 ELSE least($2 * 2.0 ^ least(attempt_count, 20), $3) END)
        WHERE id = (
          SELECT id FROM mail WHERE due_at <= $1
          ORDER BY is_first DESC, coalesce(tenant_id, '') <= $4, coalesce(tenant_id, ''), due_at, id
          LIMIT 1 FOR UPDATE SKIP LOCKED
        )
        RETURNING id, coalesce(tenant_id, '') AS "tenantId", content_sealed AS "contentSealed",
          ends_at <= $1 AS "isOver", attempt_count AS "attemptCount"`,
      values: [now, FIRST_WAIT_SECONDS, WAIT_SECONDS_MAX, this.#served],
    });
    const [due] = rows;
    if (due) this.#served = due.tenantId;
    return due;
  }

  async #remove(id: string): Promise<void> {
    await this.#deps.identity.pool.query({
      name: "remove mail",
      text: "DELETE FROM mail WHERE id = $1",
      values: [id],
    });
  }
}

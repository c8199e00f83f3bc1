import type { LookupFunction } from "node:net";
import type { MailConfig } from "../platform/config/outside-config.ts";
import { Mailer } from "./mailer.ts";
import { Outbox, type OutboxDeps } from "./outbox.ts";

/** The mail room: e-mails to users. */
export interface Mails {
  readonly outbox: Outbox;
}

/** Throws if the file with authorities cannot be read. */
export function createMails(
  server: MailConfig,
  deps: Omit<OutboxDeps, "mailer"> & { readonly lookup: LookupFunction },
): Mails {
  return { outbox: new Outbox({ ...deps, mailer: new Mailer(server, deps.lookup) }) };
}

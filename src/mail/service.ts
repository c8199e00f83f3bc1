import type { LookupFunction } from "node:net";
import type { MailConfig } from "../platform/mail-config.ts";
import { Mailer } from "./mailer.ts";
import { Outbox, type OutboxDeps } from "./outbox.ts";

/** What e-mail is sent by, and where its links lead. */
export interface MailSettings {
  readonly server: MailConfig;
  /** The address of the console, "https://pay.example.com/console". */
  readonly consoleUrl: string;
}

/** The mail room: e-mails to users. */
export interface Mails {
  readonly outbox: Outbox;
  readonly consoleUrl: string;
}

/** Throws if the file with authorities cannot be read. */
export function createMails(
  { server, consoleUrl }: MailSettings,
  deps: Omit<OutboxDeps, "mailer"> & { readonly lookup: LookupFunction },
): Mails {
  return { outbox: new Outbox({ ...deps, mailer: new Mailer(server, deps.lookup) }), consoleUrl };
}

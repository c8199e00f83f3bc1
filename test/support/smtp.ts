import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { simpleParser, type ParsedMail } from "mailparser";
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server";
import type { MailConfig } from "../../src/platform/config/outside-config.ts";
import { newAuthority, writeFiles, type Authority } from "./certificates.ts";
import { forFile } from "./for-file.ts";

export const LOGIN = { user: "paylink", password: "smtp-secret-of-the-tests" };

/** An e-mail as its server got it, and as a library of others reads it. */
export interface ReceivedMail {
  readonly raw: string;
  readonly parsed: ParsedMail;
  readonly recipients: readonly string[];
  readonly isSecure: boolean;
}

/** A real SMTP server on this machine, with the e-mails that it took. */
class SmtpReceiver {
  readonly mails: ReceivedMail[] = [];
  /** Says what becomes of an e-mail before it is taken: an error refuses it. */
  beforeTaken: (recipient: string) => Promise<void> | void = () => undefined;
  /** Is called after an e-mail was kept, before the sender hears of it. */
  afterKept: () => Promise<void> | void = () => undefined;
  readonly #server: SMTPServer;

  constructor(options: SMTPServerOptions) {
    this.#server = new SMTPServer({
      logger: false,
      onAuth: ({ username, password }, _session, done) =>
        username === LOGIN.user && password === LOGIN.password
          ? done(null, { user: username })
          : done(new Error("wrong login")),
      onRcptTo: ({ address }, _session, done) =>
        void settled(done, async () => await this.beforeTaken(address)),
      onData: (stream, session, done) => void settled(done, async () => await this.#keep(stream, session)),
      ...options,
    });
    this.#server.on("error", () => undefined);
  }

  async listen(): Promise<number> {
    const listening = this.#server.listen(0, "127.0.0.1");
    await once(listening, "listening");
    return (listening.address() as AddressInfo).port;
  }

  async #keep(stream: Readable, { envelope, secure }: SMTPServerSession): Promise<void> {
    const raw = Buffer.concat(await stream.toArray()).toString();
    const recipients = envelope.rcptTo.map(({ address }) => address);
    this.mails.push({ raw, recipients, isSecure: secure, parsed: await simpleParser(raw) });
    await this.afterKept();
  }

  /** Returns the e-mails to an address. */
  to(address: string): ReceivedMail[] {
    return this.mails.filter(({ recipients }) => recipients.includes(address));
  }

  async close(): Promise<void> {
    const closed = Promise.withResolvers<void>();
    this.#server.close(closed.resolve);
    await closed.promise;
  }
}

async function settled(done: (error?: Error) => void, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    done(error as Error);
    return;
  }
  done();
}

/** Returns the settings of a server on this machine. */
export function mailConfig(port: number, changed: Partial<MailConfig> = {}): MailConfig {
  const from = { name: "Paylink", address: "pay@shop.example" };
  return { host: "localhost", port, security: "starttls", login: LOGIN, from, caFile: undefined, ...changed };
}

/** An authority whose certificate is in a file, and a certificate of this machine that it signed. */
async function newTrust() {
  const authority: Authority = await newAuthority("mail authority");
  const server = await authority.issue();
  const { paths, remove } = await writeFiles({ ca: authority.cert });
  return { caFile: paths.ca, server, close: remove };
}

/** Starts a receiver with STARTTLS, or with TLS from the first byte, whose certificate `caFile` vouches for. */
export async function startSmtp(options: SMTPServerOptions = {}) {
  const trust = await newTrust();
  const receiver = new SmtpReceiver({ ...trust.server, ...options });
  const port = await receiver.listen();
  const config = mailConfig(port, {
    caFile: trust.caFile,
    security: options.secure === true ? "smtps" : "starttls",
  });
  const close = async (): Promise<void> => {
    await receiver.close();
    await trust.close();
  };
  return { receiver, port, config, caFile: trust.caFile, close };
}

/** As `startSmtp`, closed after a file's tests. */
export async function smtpForFile(options: SMTPServerOptions = {}) {
  return await forFile(startSmtp(options));
}

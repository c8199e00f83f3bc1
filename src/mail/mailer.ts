import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls, getCACertificates, type ConnectionOptions } from "node:tls";
import { CLIENT_TLS } from "../platform/outside/client-tls.ts";
import type { MailConfig } from "../platform/config/outside-config.ts";

/** An e-mail: plain text, so that no text in it is anything else. */
export interface Content {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Why an e-mail was not sent. It holds nothing of the server's answer, which may quote an address. */
export class MailFailure extends Error {
  /** What kind of failure, such as "eauth_535". */
  readonly code: string;
  /** True: other e-mails may still be taken. */
  readonly isOfOne: boolean;
  /** True: the server never takes this one, as it has no such recipient. */
  readonly isFinal: boolean;

  constructor({ code, command, responseCode }: { code?: string; command?: string; responseCode?: number }) {
    super("an e-mail was not sent");
    const words = [code ?? "failed", ...(responseCode === undefined ? [] : [responseCode])];
    this.code = words.join("_").toLowerCase();
    this.isOfOne = code === "EENVELOPE" || code === "EMESSAGE";
    this.isFinal = code === "EENVELOPE" && command === "RCPT TO" && (responseCode ?? 0) >= 500;
  }
}

/** The longest times in milliseconds: to connect and to be greeted, without an answer, and of one e-mail in all. */
const LIMITS = { connectMs: 10_000, silenceMs: 15_000, sendMs: 30_000 };

type Transport = Awaited<ReturnType<typeof transportOver>>;

/** Sends e-mails by SMTP, each over a connection of its own. */
export class Mailer {
  readonly #config: MailConfig;
  readonly #limits: typeof LIMITS;
  readonly #lookup: LookupFunction;
  readonly #tls: ConnectionOptions;

  /** Throws if the file with authorities cannot be read. */
  constructor(config: MailConfig, lookup: LookupFunction, limits = LIMITS) {
    this.#config = config;
    this.#limits = limits;
    this.#lookup = lookup;
    const { caFile } = config;
    const trusted =
      caFile === undefined ? {} : { ca: [...getCACertificates("default"), readFileSync(caFile, "utf8")] };
    this.#tls = { ...CLIENT_TLS, ...trusted, rejectUnauthorized: true };
  }

  /** Error: MailFailure. After one, the server may have taken the e-mail nevertheless. */
  async send(id: string, { to, subject, text }: Content, signal: AbortSignal): Promise<void> {
    const { from } = this.#config;
    await this.#within(signal, async (transport, ending) => {
      await transport.sendMail({
        from,
        to: { name: "", address: to },
        subject,
        text,
        // One that is sent twice has the same.
        messageId: `<${id}@${from.address.slice(from.address.indexOf("@") + 1)}>`,
        headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
        disableFileAccess: true,
        disableUrlAccess: true,
        signal: ending,
      });
    });
  }

  /** Connects and logs in, and sends nothing. Error: MailFailure. */
  async verify(): Promise<void> {
    await this.#within(undefined, async (transport) => void (await transport.verify()));
  }

  /** Ends in time whatever the server does, and leaves no connection. */
  async #within(
    signal: AbortSignal | undefined,
    act: (transport: Transport, ending: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const ending = AbortSignal.any([AbortSignal.timeout(this.#limits.sendMs), ...(signal ? [signal] : [])]);
    const { socket, opened } = this.#connect();
    const end = (): void => void socket.destroy(Object.assign(new Error("over"), { code: "ETIMEDOUT" }));
    const timer = setTimeout(end, this.#limits.connectMs);
    ending.addEventListener("abort", end);
    try {
      await once(socket, opened);
      clearTimeout(timer);
      socket.on("error", () => undefined);
      await act(await transportOver(socket, this.#config, this.#tls, this.#limits), ending);
    } catch (error) {
      throw new MailFailure(error as { code?: string });
    } finally {
      clearTimeout(timer);
      ending.removeEventListener("abort", end);
      socket.destroy();
    }
  }

  #connect(): { readonly socket: Socket; readonly opened: string } {
    const { host, port, security } = this.#config;
    // Node would give a slow address up after 250 ms, also for one of a network that leads nowhere.
    const autoSelectFamilyAttemptTimeout = this.#limits.connectMs / 2;
    const target = { host, port, lookup: this.#lookup, autoSelectFamilyAttemptTimeout };
    return security === "smtps"
      ? { socket: connectTls({ ...target, ...this.#tls }), opened: "secureConnect" }
      : { socket: connect(target), opened: "connect" };
  }
}

/** Returns nodemailer over a connection. */
async function transportOver(
  connection: Socket,
  { host, port, security, login }: MailConfig,
  tls: ConnectionOptions,
  { connectMs, silenceMs }: typeof LIMITS,
) {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    host,
    port,
    secure: security === "smtps",
    requireTLS: security === "starttls",
    ignoreTLS: security === "plain",
    ...(login ? { auth: { user: login.user, pass: login.password } } : {}),
    tls,
    greetingTimeout: connectMs,
    connectionTimeout: silenceMs,
    socketTimeout: silenceMs,
    logger: false,
    getSocket: (_options, done) => done(null, { connection, secured: security === "smtps" }),
  });
}

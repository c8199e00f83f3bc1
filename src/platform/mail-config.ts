import { isLoopbackHost } from "./host-in-url.ts";

/** The server that takes e-mails, and their sender. */
export interface MailConfig {
  readonly host: string;
  readonly port: number;
  /** `smtps`: TLS from the first byte. `starttls`: required before anything else. `plain`: a server on this machine. */
  readonly security: "smtps" | "starttls" | "plain";
  readonly login: { readonly user: string; readonly password: string } | undefined;
  readonly from: { readonly name: string; readonly address: string };
  /** The path of a PEM file with authorities to trust besides the system's. */
  readonly caFile: string | undefined;
}

const PORTS = { "smtps:": 465, "smtp:": 587 } as const;
// Neither a line end nor a sign that ends a name or an address.
const FROM = /^(?:([^\p{Cc}<>"@]{1,100}?)\s*<)?([\w.+-]{1,64}@[a-z0-9.-]{1,190})>?$/iu;

/**
 * Reads the variables of e-mail. Returns undefined if none is sent. Throws the error of `fail`, which gets one line for
 * the operator, without a secret.
 */
export function readMailConfig(
  text: (name: string) => string | undefined,
  fail: (problem: string) => Error,
): MailConfig | undefined {
  const [server, sender, caFile] = [text("SMTP_URL"), text("MAIL_FROM"), text("SMTP_CA")];
  if (server === undefined) {
    if (sender === undefined && caFile === undefined) return undefined;
    throw fail("MAIL_FROM and SMTP_CA need SMTP_URL.");
  }
  // oxlint-disable-next-line no-restricted-properties -- the operator's
  const url = URL.parse(server);
  const isServer = url && url.hostname !== "" && !url.search && !url.hash && /^\/?$/.test(url.pathname);
  if (!isServer || (url.protocol !== "smtp:" && url.protocol !== "smtps:")) {
    throw fail("SMTP_URL must be smtps://user:password@host:465 or smtp://user:password@host:587.");
  }
  const [, name = "", address] = FROM.exec(sender?.trim() ?? "") ?? [];
  if (address === undefined) {
    throw fail("MAIL_FROM must be an address, or a name and an address: Shop <pay@example.com>.");
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const plainOr = isLoopbackHost(host) && url.username === "" ? "plain" : "starttls";
  return {
    host,
    port: url.port === "" ? PORTS[url.protocol] : Number(url.port),
    security: url.protocol === "smtps:" ? "smtps" : plainOr,
    login: loginOf(url, fail),
    from: { name: name.trim(), address },
    caFile,
  };
}

function loginOf({ username, password }: URL, fail: (problem: string) => Error): MailConfig["login"] {
  if (username === "" && password === "") return undefined;
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    throw fail("SMTP_URL must have its user and password percent-encoded.");
  }
}

import { isLoopbackHost } from "../text/host-in-url.ts";

type Text = (name: string) => string | undefined;

/** An S3 bucket, with its credentials. */
export interface BucketConfig {
  /** "https://host/bucket", without a trailing slash. */
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * Reads the variables of the pictures' bucket. Returns undefined if there are none: pictures are then on disk. Throws
 * the error of `fail`, which gets one line for the operator, if some are missing.
 */
export function readBucketConfig(
  text: Text,
  urlOf: (name: string, text: string) => string,
  fail: (problem: string) => Error,
): BucketConfig | undefined {
  const url = text("MEDIA_S3_URL");
  const region = text("MEDIA_S3_REGION");
  const accessKeyId = text("MEDIA_S3_ACCESS_KEY_ID");
  const secretAccessKey = text("MEDIA_S3_SECRET_ACCESS_KEY");
  const given = [url, region, accessKeyId, secretAccessKey].filter((value) => value !== undefined);
  if (given.length === 0) return undefined;
  if (
    url === undefined ||
    region === undefined ||
    accessKeyId === undefined ||
    secretAccessKey === undefined
  ) {
    throw fail(
      "MEDIA_S3_URL, MEDIA_S3_REGION, MEDIA_S3_ACCESS_KEY_ID and MEDIA_S3_SECRET_ACCESS_KEY are set together.",
    );
  }
  return { url: urlOf("MEDIA_S3_URL", url), region, accessKeyId, secretAccessKey };
}

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
export function readMailConfig(text: Text, fail: (problem: string) => Error): MailConfig | undefined {
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

/** Where the live mode's rate is fetched. */
export interface PtaxConfig {
  /** The address of the central bank's service, without a trailing slash. */
  readonly url: string;
  /** The age in seconds of bank-open time past which a fetched rate is not used. */
  readonly maxAgeSeconds: number;
}

/** The central bank's public OData service. */
const PTAX_URL = "https://olinda.bcb.gov.br/olinda/servico/PTAX/versao/v1/odata";
// From one bulletin to the next is 24 hours of bank-open time: the next may be six hours late.
const MAX_AGE_SECONDS = 30 * 3600;
const MAX_AGE_SECONDS_MAX = 10 * 86_400;

/**
 * Reads the variables of the live rate. Returns undefined if it is published by hand. Throws the error of `fail`, which gets
 * one line for the operator.
 */
export function readPtaxConfig(
  text: Text,
  urlOf: (name: string, text: string) => string,
  fail: (problem: string) => Error,
): PtaxConfig | undefined {
  const source = text("FX_SOURCE") ?? "manual";
  if (source !== "manual" && source !== "ptax") throw fail("FX_SOURCE must be one of ptax, manual.");
  const url = urlOf("PTAX_URL", text("PTAX_URL") ?? PTAX_URL);
  const given = text("PTAX_MAX_AGE_SECONDS") ?? String(MAX_AGE_SECONDS);
  const maxAgeSeconds = Number(given);
  if (!/^\d{1,6}$/.test(given) || maxAgeSeconds < 1 || maxAgeSeconds > MAX_AGE_SECONDS_MAX) {
    throw fail(`PTAX_MAX_AGE_SECONDS must be seconds, 1 to ${MAX_AGE_SECONDS_MAX}.`);
  }
  return source === "ptax" ? { url, maxAgeSeconds } : undefined;
}

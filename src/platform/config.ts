import ipaddr from "ipaddr.js";
import { readBucketConfig, type BucketConfig } from "./bucket-config.ts";
import { readTlsConfig, type TlsConfig } from "./tls-config.ts";

/** What the environment variables say, checked. */
export interface Config extends TlsConfig {
  readonly port: number;
  readonly host: string;
  /** gRPC, gRPC-Web and Connect over HTTP/2. */
  readonly corePort: number;
  /** Connect over HTTP/1.1, for gateways in other processes. */
  readonly coreHttpPort: number;
  /** Where gateways in other processes find the cores. */
  readonly coreHttpUrls: readonly string[];
  readonly publicUrl: string;
  /** Addresses and networks whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly checkoutBase: string;
  readonly mediaBase: string;
  /** Where pictures are kept. Absent: in the data folder. */
  readonly mediaBucket: BucketConfig | undefined;
  readonly dataDir: string;
  /** Absent: the embedded database. */
  readonly databaseUrl: string | undefined;
  readonly seed: "demo" | "none";
  /** Absent: kept in the data folder. */
  readonly coreToken: string | undefined;
  /** 32 bytes. Absent: kept in the data folder. */
  readonly dataKey: Buffer | undefined;
  /** Whether webhooks of test mode may go to http and to this machine. Unset: on a developer's machine alone. */
  readonly allowLoopbackWebhooks: boolean;
  readonly logLevel: string;
  /** Metrics and probes, for the operator alone. Undefined: none. */
  readonly metricsPort: number | undefined;
  /** Between no longer being ready and closing the doors. */
  readonly drainDelayMs: number;
  /** For requests under way when the doors close. */
  readonly drainTimeoutMs: number;
}

/** A variable that cannot be used; the message is one line for the operator. */
export class ConfigError extends Error {}

const KEY_BYTES = 32;
const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"];

/** Reads the environment. Throws ConfigError. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const text = (name: string): string | undefined => env[name] || undefined;
  const port = portOf("PORT", text("PORT"), 8080);
  const host = text("HOST") ?? "127.0.0.1";
  const coreHttpPort = portOf("CORE_HTTP_PORT", text("CORE_HTTP_PORT"), 50052);
  const tls = readTlsConfig(text, (problem) => new ConfigError(problem));
  const scheme = tls.gatewayTls ? "https" : "http";
  const publicUrl = urlOf("PUBLIC_URL", text("PUBLIC_URL") ?? `${scheme}://${hostInUrl(host)}:${port}`);
  const databaseUrl = text("DATABASE_URL");
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    throw new ConfigError("DATABASE_URL must be a postgresql:// URL.");
  }
  // A receiver of test webhooks is on it as well.
  const isDeveloperMachine = databaseUrl === undefined && isLoopback(publicUrl);
  return {
    ...tls,
    port,
    host,
    corePort: portOf("CORE_PORT", text("CORE_PORT"), 50051),
    coreHttpPort,
    coreHttpUrls: (text("CORE_HTTP_URL") ?? `${tls.coreTls ? "https" : "http"}://127.0.0.1:${coreHttpPort}`)
      .split(",")
      .map((url) => urlOf("CORE_HTTP_URL", url.trim())),
    publicUrl,
    trustedProxies: networksOf("TRUSTED_PROXIES", text("TRUSTED_PROXIES")),
    checkoutBase: urlOf("CHECKOUT_BASE", text("CHECKOUT_BASE") ?? publicUrl),
    mediaBase: urlOf("MEDIA_BASE", text("MEDIA_BASE") ?? `${publicUrl}/media`),
    mediaBucket: readBucketConfig(text, urlOf, (problem) => new ConfigError(problem)),
    dataDir: text("DATA_DIR") ?? ".data",
    databaseUrl,
    seed: wordOf("PAYLINK_SEED", text("PAYLINK_SEED") ?? (databaseUrl ? "none" : "demo"), ["demo", "none"]),
    coreToken: tokenOf(text("CORE_TOKEN")),
    dataKey: keyOf(text("DATA_KEY")),
    allowLoopbackWebhooks:
      wordOf("WEBHOOK_ALLOW_LOOPBACK", text("WEBHOOK_ALLOW_LOOPBACK") ?? String(isDeveloperMachine), [
        "true",
        "false",
      ]) === "true",
    logLevel: wordOf("LOG_LEVEL", text("LOG_LEVEL") ?? "info", LOG_LEVELS),
    metricsPort:
      text("METRICS_PORT") === "none" ? undefined : portOf("METRICS_PORT", text("METRICS_PORT"), 9464),
    drainDelayMs: millisecondsOf("DRAIN_DELAY_MS", text("DRAIN_DELAY_MS"), 0),
    drainTimeoutMs: millisecondsOf("DRAIN_TIMEOUT_MS", text("DRAIN_TIMEOUT_MS"), 25_000),
  };
}

function portOf(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new ConfigError(`${name} must be a port, 0 to 65535.`);
  return port;
}

function millisecondsOf(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (!/^\d{1,6}$/.test(text)) throw new ConfigError(`${name} must be milliseconds, 0 to 999999.`);
  return Number(text);
}

/** An http(s) address without a trailing slash. */
function urlOf(name: string, text: string): string {
  const url = URL.parse(text);
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username;
  if (!isPlain) throw new ConfigError(`${name} must be an http or https URL without query or fragment.`);
  return url.href.replace(/\/+$/, "");
}

/** Whether an address leads to this machine alone. */
function isLoopback(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, "$1");
  if (host === "localhost" || host.endsWith(".localhost")) return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === "loopback";
}

/** Addresses and networks, with commas between them. */
function networksOf(name: string, text = ""): string[] {
  const networks = text
    .split(",")
    .map((network) => network.trim())
    .filter((network) => network !== "");
  if (!networks.every((network) => ipaddr.isValid(network) || ipaddr.isValidCIDR(network))) {
    throw new ConfigError(
      `${name} must be IP addresses and networks such as 10.0.0.0/8, with commas between.`,
    );
  }
  return networks;
}

function wordOf<Word extends string>(name: string, text: string, words: readonly Word[]): Word {
  const word = words.find((candidate) => candidate === text);
  if (word === undefined) throw new ConfigError(`${name} must be one of ${words.join(", ")}.`);
  return word;
}

function tokenOf(text: string | undefined): string | undefined {
  if (text !== undefined && !/^[\x21-\x7e]{16,}$/.test(text)) {
    throw new ConfigError("CORE_TOKEN must have at least 16 printable characters and no space.");
  }
  return text;
}

function keyOf(text: string | undefined): Buffer | undefined {
  if (text === undefined) return undefined;
  const key = Buffer.from(text, "base64");
  if (key.length !== KEY_BYTES) throw new ConfigError(`DATA_KEY must be ${KEY_BYTES} bytes in base64.`);
  return key;
}

/** How to reach on this machine what listens on this address. */
export function hostInUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

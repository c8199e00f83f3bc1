import ipaddr from "ipaddr.js";
import { BATCH_BOUNDS } from "../write/batch-bounds.ts";
import { hostInUrl, hostOf, isLoopbackHost } from "../text/host-in-url.ts";
import { readLimits, type LimitsConfig } from "./limits-config.ts";
import {
  readBucketConfig,
  readMailConfig,
  readPtaxConfig,
  type BucketConfig,
  type MailConfig,
  type PtaxConfig,
} from "./outside-config.ts";
import { readTlsConfig, type TlsConfig } from "./tls-config.ts";
import type { ReplicaSettings } from "../db/replica.ts";
import { QUERY_MS } from "../db/query-limits.ts";

/** The key that encrypts, then the former ones that still decrypt. */
export type DataKeys = readonly [key: Buffer, ...formerKeys: Buffer[]];

/** What makes work on a developer's own machine easy. */
interface AllowanceConfig {
  /** True: webhooks of test mode may use http and loopback addresses. Unset: only on a demo machine. */
  readonly allowLoopbackWebhooks: boolean;
  /** True: providers and the source of rates may use http and loopback addresses. */
  readonly allowLoopbackProviders: boolean;
  /** True: the console's cookies are sent without Secure while PUBLIC_URL is http. Undefined: not configured. */
  readonly allowHttpConsole: boolean | undefined;
  /** True: reflection shows the core's schemas without a token. Unset: only on a demo machine. */
  readonly allowOpenReflection: boolean;
}

/** The checked environment variables. */
export interface Config extends TlsConfig, AllowanceConfig, LimitsConfig {
  readonly port: number;
  readonly host: string;
  /** Callbacks that prove themselves by a certificate, over the gateway's own TLS. Undefined: none. */
  readonly callbackTlsPort: number | undefined;
  /** gRPC, gRPC-Web and Connect over HTTP/2. */
  readonly corePort: number;
  /** Connect over HTTP/1.1, for gateways in other processes. */
  readonly coreHttpPort: number;
  /** The address of the core's gRPC, for the command line. */
  readonly coreUrl: string;
  /** The addresses of the cores, for gateways in other processes. */
  readonly coreHttpUrls: readonly string[];
  /** The origins of web pages that may call the core. */
  readonly coreOrigins: readonly string[];
  readonly publicUrl: string;
  /** Where providers call back. */
  readonly callbackBase: string;
  /** Addresses and networks whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Addresses and networks of the proxies that set Client-Cert and remove a client's own. */
  readonly certificateProxies: readonly string[];
  readonly checkoutBase: string;
  readonly mediaBase: string;
  /** The bucket of the pictures. Absent: pictures are in the data folder. */
  readonly mediaBucket: BucketConfig | undefined;
  readonly dataDir: string;
  /** Absent: the embedded database. */
  readonly databaseUrl: string | undefined;
  /** Absent: every read is the primary's. */
  readonly replica: ReplicaSettings | undefined;
  /** The maximum time of a request's query. */
  readonly databaseTimeoutMs: number;
  /** How many commits go together at most. */
  readonly commitBatch: number;
  readonly seed: "demo" | "none";
  /** Absent: it is in the data folder. */
  readonly coreToken: string | undefined;
  /** 32 bytes each, the present key first, then former ones. Absent: they are in the data folder. */
  readonly dataKeys: DataKeys | undefined;
  /** The source of the live mode's rate. Absent: it is published by hand. */
  readonly ptax: PtaxConfig | undefined;
  /** Absent: no e-mail is sent. */
  readonly mail: MailConfig | undefined;
  /**
   * True for `npm start` without configuration: the demo on the embedded database, reachable only from this machine.
   */
  readonly isDemoMachine: boolean;
  readonly logLevel: string;
  /** The port of metrics and probes, for the operator only. Undefined: none. */
  readonly metricsPort: number | undefined;
  /** The delay between the end of readiness and the closing of the servers. */
  readonly drainDelayMs: number;
  /** The time for requests in progress when the servers close. */
  readonly drainTimeoutMs: number;
  /** A line for each variable that is set and has no effect any more, or has another name now. */
  readonly warnings: readonly string[];
}

/** An invalid variable. The message is one line for the operator. */
export class ConfigError extends Error {}

const KEY_BYTES = 32;
const TIMEOUT_MS_MIN = 1000;
const BATCH_MAX = 1000;
const LAG_MS = 5000;
const LAG_MS_MAX = 60_000;
// Variables of earlier releases, and what is in their place.
const REMOVED: Readonly<Record<string, string>> = {
  CHECKOUT_SESSIONS_PER_LINK: "a link may open any number of sessions in a minute",
  RATE_LIMIT_WRONG_KEYS_PER_SECOND: "an address may always send ten wrong keys a second",
  RATE_LIMIT_WRONG_KEYS_BURST: "an address may always send ten wrong keys a second",
};
const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"];

type Text = (name: string) => string | undefined;

/** Reads the environment. Throws ConfigError if a variable is invalid. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const text: Text = (name) => env[name] || undefined;
  const port = portOf("PORT", text("PORT"), 8080);
  const host = text("HOST") ?? "127.0.0.1";
  const coreHttpPort = portOf("CORE_HTTP_PORT", text("CORE_HTTP_PORT"), 50052);
  const tls = readTlsConfig(text, fail);
  const coreScheme = tls.coreTls ? "https" : "http";
  const corePort = portOf("CORE_PORT", text("CORE_PORT"), 50051);
  const core = readCoreUrl(text, coreScheme, corePort);
  const callbackTlsPort =
    text("CALLBACK_TLS_PORT") === undefined
      ? undefined
      : portOf("CALLBACK_TLS_PORT", text("CALLBACK_TLS_PORT"), 0);
  if (callbackTlsPort !== undefined && !tls.gatewayTls) {
    throw fail("CALLBACK_TLS_PORT needs TLS_CERT and TLS_KEY.");
  }
  const scheme = tls.gatewayTls ? "https" : "http";
  const isLocal = isLoopbackHost(host);
  if (!isLocal && text("PUBLIC_URL") === undefined) {
    throw fail(
      `PUBLIC_URL must be set when HOST is not this machine's own: HOST is ${host}, and browsers reach the gateway at an address such as https://pay.example.com.`,
    );
  }
  const publicUrl = originOf("PUBLIC_URL", text("PUBLIC_URL") ?? `${scheme}://${hostInUrl(host)}:${port}`);
  const databaseUrl = text("DATABASE_URL");
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    throw fail("DATABASE_URL must be a postgresql:// URL.");
  }
  const seed = wordOf("PAYLINK_SEED", text("PAYLINK_SEED") ?? (databaseUrl ? "none" : "demo"), [
    "demo",
    "none",
  ]);
  // With a public address, a proxy on this machine forwards requests from elsewhere.
  const isDemoMachine =
    isLocal && isLoopbackHost(hostOf(publicUrl)) && databaseUrl === undefined && seed === "demo";
  return {
    ...tls,
    port,
    host,
    callbackTlsPort,
    corePort,
    coreHttpPort,
    coreUrl: core.url,
    coreHttpUrls: (text("CORE_HTTP_URL") ?? `${coreScheme}://127.0.0.1:${coreHttpPort}`)
      .split(",")
      .map((url) => urlOf("CORE_HTTP_URL", url.trim())),
    coreOrigins: listOf(text("CORE_ORIGINS")).map((origin) => originOf("CORE_ORIGINS", origin)),
    publicUrl,
    callbackBase: urlOf("CALLBACK_BASE", text("CALLBACK_BASE") ?? publicUrl),
    trustedProxies: networksOf("TRUSTED_PROXIES", text("TRUSTED_PROXIES")),
    certificateProxies: networksOf("CLIENT_CERT_PROXIES", text("CLIENT_CERT_PROXIES")),
    checkoutBase: originOf("CHECKOUT_BASE", text("CHECKOUT_BASE") ?? publicUrl),
    mediaBase: urlOf("MEDIA_BASE", text("MEDIA_BASE") ?? `${publicUrl}/media`),
    mediaBucket: readBucketConfig(text, urlOf, fail),
    ...readLimits(text, fail),
    dataDir: text("DATA_DIR") ?? ".data",
    databaseUrl,
    replica: readReplicaConfig(text),
    commitBatch: batchOf("COMMIT_BATCH", text("COMMIT_BATCH")),
    databaseTimeoutMs: timeoutOf("DATABASE_TIMEOUT_MS", text("DATABASE_TIMEOUT_MS"), QUERY_MS),
    seed,
    coreToken: tokenOf(text("CORE_TOKEN")),
    dataKeys: readDataKeys("DATA_KEY", text("DATA_KEY")),
    ...readAllowances(text, isDemoMachine),
    ptax: readPtaxConfig(text, urlOf, fail),
    mail: readMailConfig(text, fail),
    isDemoMachine,
    logLevel: wordOf("LOG_LEVEL", text("LOG_LEVEL") ?? "info", LOG_LEVELS),
    metricsPort:
      text("METRICS_PORT") === "none" ? undefined : portOf("METRICS_PORT", text("METRICS_PORT"), 9464),
    drainDelayMs: millisecondsOf("DRAIN_DELAY_MS", text("DRAIN_DELAY_MS"), 0),
    drainTimeoutMs: millisecondsOf("DRAIN_TIMEOUT_MS", text("DRAIN_TIMEOUT_MS"), 25_000),
    warnings: [
      ...Object.keys(env)
        .filter((name) => Object.hasOwn(REMOVED, name))
        .map((name) => `${name} is set and has no effect any more: ${REMOVED[name]}.`),
      ...core.warnings,
    ],
  };
}

/** Reads where the command line finds the core. Throws ConfigError. */
function readCoreUrl(text: Text, scheme: string, port: number): { url: string; warnings: string[] } {
  const [given, address] = [text("CORE_URL"), text("CORE_ADDRESS")];
  if (given !== undefined) return { url: urlOf("CORE_URL", given), warnings: [] };
  if (address === undefined) return { url: `${scheme}://127.0.0.1:${port}`, warnings: [] };
  const url = urlOf("CORE_ADDRESS", `${scheme}://${address}`);
  return {
    url,
    warnings: [`CORE_ADDRESS is the former name of CORE_URL: set CORE_URL=${url} in its place.`],
  };
}

/** Reads the variables of development. Throws ConfigError. */
function readAllowances(text: Text, isDemoMachine: boolean): AllowanceConfig {
  const allowed = (name: string): boolean | undefined => {
    const word = text(name);
    if (word === undefined) return undefined;
    if (word !== "true" && word !== "false") throw fail(`${name} must be one of true, false.`);
    return word === "true";
  };
  return {
    allowLoopbackWebhooks: allowed("WEBHOOK_ALLOW_LOOPBACK") ?? isDemoMachine,
    allowLoopbackProviders: allowed("PROVIDER_ALLOW_LOOPBACK") ?? false,
    allowHttpConsole: allowed("CONSOLE_ALLOW_HTTP"),
    allowOpenReflection: allowed("CORE_OPEN_REFLECTION") ?? isDemoMachine,
  };
}

/** Reads the variables of a replica. Throws ConfigError. */
function readReplicaConfig(text: Text): ReplicaSettings | undefined {
  const url = text("DATABASE_REPLICA_URL");
  const lag = text("DATABASE_REPLICA_LAG_MS") ?? String(LAG_MS);
  if (!/^\d{4,5}$/.test(lag) || Number(lag) < 1000 || Number(lag) > LAG_MS_MAX) {
    throw fail(`DATABASE_REPLICA_LAG_MS must be milliseconds, 1000 to ${LAG_MS_MAX}.`);
  }
  if (url === undefined) return undefined;
  if (!/^postgres(ql)?:\/\//.test(url)) throw fail("DATABASE_REPLICA_URL must be a postgresql:// URL.");
  if (text("DATABASE_URL") === undefined) throw fail("DATABASE_REPLICA_URL needs DATABASE_URL.");
  return { url, lagMsMax: Number(lag) };
}

function portOf(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw fail(`${name} must be a port, 0 to 65535.`);
  return port;
}

function batchOf(name: string, text: string | undefined): number {
  if (text === undefined) return BATCH_BOUNDS.commits;
  const count = Number(text);
  if (!/^\d{1,4}$/.test(text) || count < 1 || count > BATCH_MAX) {
    throw fail(`${name} must be a whole number, 1 to ${BATCH_MAX}.`);
  }
  return count;
}

function millisecondsOf(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (!/^\d{1,6}$/.test(text)) throw fail(`${name} must be milliseconds, 0 to 999999.`);
  return Number(text);
}

/** Returns a timeout in milliseconds, at least a second. Throws ConfigError. */
function timeoutOf(name: string, text: string | undefined, fallback: number): number {
  const milliseconds = millisecondsOf(name, text, fallback);
  if (milliseconds < TIMEOUT_MS_MIN) throw fail(`${name} must be milliseconds, ${TIMEOUT_MS_MIN} to 999999.`);
  return milliseconds;
}

function fail(problem: string): ConfigError {
  return new ConfigError(problem);
}

/** Returns an http(s) address without a trailing slash. Throws ConfigError. */
function urlOf(name: string, text: string): string {
  // oxlint-disable-next-line no-restricted-properties -- the operator's
  const url = URL.parse(text);
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username;
  if (!isPlain) throw fail(`${name} must be an http or https URL without query or fragment.`);
  return url.href.replace(/\/+$/, "");
}

/** Returns the http(s) address of a host, at whose root pages and forms begin. Throws ConfigError. */
function originOf(name: string, text: string): string {
  // oxlint-disable-next-line no-restricted-properties -- the operator's
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw fail(
      `${name} must be an http or https address without path, query or fragment, such as https://pay.example.com.`,
    );
  }
  return url.origin;
}

function listOf(text = ""): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

/** Returns the addresses and networks of a comma-separated list. Throws ConfigError. */
function networksOf(name: string, text?: string): string[] {
  const networks = listOf(text);
  if (!networks.every((network) => ipaddr.isValid(network) || ipaddr.isValidCIDR(network))) {
    throw fail(`${name} must be IP addresses and networks such as 10.0.0.0/8, with commas between.`);
  }
  return networks;
}

function wordOf<Word extends string>(name: string, text: string, words: readonly Word[]): Word {
  const word = words.find((candidate) => candidate === text);
  if (word === undefined) throw fail(`${name} must be one of ${words.join(", ")}.`);
  return word;
}

function tokenOf(text: string | undefined): string | undefined {
  if (text !== undefined && !/^[\x21-\x7e]{16,}$/.test(text)) {
    throw fail("CORE_TOKEN must have at least 16 printable characters and no space.");
  }
  return text;
}

/** Returns the keys of a text, with commas or line ends between them. Throws ConfigError. */
export function readDataKeys(name: string, text: string | undefined): DataKeys | undefined {
  if (text === undefined) return undefined;
  const [key, ...formerKeys] = text
    .trim()
    .split(/[,\s]+/)
    .map((part) => Buffer.from(part, "base64"));
  if (key === undefined || ![key, ...formerKeys].every(({ length }) => length === KEY_BYTES)) {
    throw fail(`${name} must be ${KEY_BYTES} bytes in base64, and after a comma former keys.`);
  }
  return [key, ...formerKeys];
}

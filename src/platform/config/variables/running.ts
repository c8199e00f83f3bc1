import { CORES, PARTS, type Variable } from "./variable.ts";

const DATABASE = { DATABASE_URL: "postgresql://paylink:password@db.example.com/paylink" };
const REPLICA = {
  ...DATABASE,
  DATABASE_REPLICA_URL: "postgresql://paylink:password@db-2.example.com/paylink",
};

/** Data, secrets, start and end of the parts, and what is allowed while developing. */
export const RUNNING: readonly Variable[] = [
  {
    name: "DATA_DIR",
    default: ".data",
    readBy: [...PARTS, "command line", "examples"],
    example: "/var/lib/paylink",
    text: "The folder of the embedded database, the demo's keys, the core token, the data key and pictures.",
  },
  {
    name: "DATABASE_URL",
    absent: "the embedded database",
    readBy: [...CORES, "command line"],
    example: DATABASE.DATABASE_URL,
    text: "A PostgreSQL of yours; tested on 18. Up to 27 connections for each core or worker, and for each process of `--workers`.",
  },
  {
    name: "DATABASE_REPLICA_URL",
    absent: "none",
    readBy: CORES,
    example: REPLICA.DATABASE_REPLICA_URL,
    needs: DATABASE,
    text: "A streaming replica, for the console's searches, sums and exports of payments, which decide nothing. Up to 16 connections.",
  },
  {
    name: "DATABASE_REPLICA_LAG_MS",
    default: "5000",
    readBy: CORES,
    example: "2000",
    needs: REPLICA,
    text: "How many milliseconds the replica may be behind (`paylink_database_replica_lag_seconds`), 1,000 to 60,000; else the primary answers.",
  },
  {
    name: "DATABASE_TIMEOUT_MS",
    default: "10000",
    readBy: CORES,
    example: "5000",
    text: "How many milliseconds a query of a request may take before it is ended and answered by 503, at least 1,000. Audits, seals and housekeeping have ten minutes.",
  },
  {
    name: "COMMIT_BATCH",
    default: "64",
    readBy: CORES,
    example: "1",
    text: "How many commits share a query when they wait anyway, 1 to 1,000. `1`: none share.",
  },
  {
    name: "PAYLINK_SEED",
    absent: "`demo` on the embedded database, else `none`",
    readBy: CORES,
    example: "none",
    text: "`demo` makes demo tenants, prices and a fixed rate.",
  },
  {
    name: "CORE_TOKEN",
    absent: "made once, kept in `DATA_DIR/core-token`",
    readBy: [...PARTS, "command line", "examples"],
    example: "an-example-that-is-no-secret",
    text: "The secret that internal callers present, at least 16 characters: `openssl rand -hex 24`. A gateway may hold a token of its own (`tokens create --gateway`).",
  },
  {
    name: "DATA_KEY",
    absent: "made once, kept in `DATA_DIR/data-key`",
    readBy: [...CORES, "command line"],
    // "This is an example, not a secret"
    example: "VGhpcyBpcyBhbiBleGFtcGxlLCBub3QgYSBzZWNyZXQ=",
    text: "The key that encrypts the secrets in the database, 32 bytes in base64: `openssl rand -base64 32`. Keep it apart from [backups](backup.md). After a comma, former keys that still decrypt, during a rotation.",
  },
  {
    name: "LOG_LEVEL",
    default: "info",
    readBy: [...PARTS, "command line"],
    example: "debug",
    text: "The least level of the log: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`. With `debug` the command line shows where an error came from.",
  },
  {
    name: "DRAIN_DELAY_MS",
    default: "0",
    readBy: PARTS,
    example: "5000",
    text: "Milliseconds from a signal, when the part is no longer ready, to the closing of its servers.",
  },
  {
    name: "DRAIN_TIMEOUT_MS",
    default: "25000",
    readBy: PARTS,
    example: "10000",
    text: "Milliseconds that requests in progress have once the servers close.",
  },
  {
    name: "CONSOLE_ALLOW_HTTP",
    absent: "`true` for the demo in one process, else `false`",
    readBy: ["gateway"],
    example: "true",
    text: "The console's cookies go without Secure when `PUBLIC_URL` is http.",
  },
  {
    name: "CORE_OPEN_REFLECTION",
    absent: "`true` for the demo, else `false`",
    readBy: ["core"],
    example: "false",
    text: "Reflection shows the core's schemas without a token, as the [completion of `buf curl`](clients.md) asks for them.",
  },
  {
    name: "WEBHOOK_ALLOW_LOOPBACK",
    absent: "`true` for the demo, else `false`",
    readBy: CORES,
    example: "false",
    text: "Test mode's webhooks may go to http and to this machine.",
  },
  {
    name: "PROVIDER_ALLOW_LOOPBACK",
    default: "false",
    readBy: CORES,
    example: "true",
    text: "Payment providers and `PTAX_URL` may be on this machine, for a bank to develop against (`npx paylink demo bank`): accounts there are a demo, and every page says so.",
  },
];

import { parseArgs } from "node:util";
import type { Fault } from "./fault.ts";

/** How the drill runs. */
export interface Options {
  /** How often each kind of fault happens. */
  readonly rounds: number;
  readonly kinds: readonly Fault[];
  readonly seed: number;
  readonly clients: number;
  readonly ttl: number;
  readonly loopWait: number;
  readonly retryTimeout: number;
  readonly isSynchronous: boolean;
  /** Absent: what suits the version of Patroni. */
  readonly etcdApi: 2 | 3 | undefined;
}

export const HELP = `Usage: npm run failover -- [options]

Runs the service against two PostgreSQL under Patroni, with etcd and HAProxy, on this machine alone. Kills and
freezes the primary under load and checks that nothing acknowledged is lost. A round takes about a minute.
Needs Debian's packages patroni, etcd-server, haproxy and postgresql.

  --rounds N          how often each kind of fault happens (3)
  --only KIND         kill or freeze (both, in turn)
  --seed N            repeats the requests and the moments of the faults (drawn)
  --clients N         clients that write at the same time (8)
  --ttl SECONDS       Patroni's ttl (20)
  --loop-wait SECONDS Patroni's loop_wait (5)
  --retry-timeout SECONDS
                      Patroni's retry_timeout (5)
  --etcd-api 2|3      the API of etcd that Patroni uses (3; 2 for a Patroni before 3.0.3, which loses writes by 3)
  --control           without synchronous mode, and with a standby that is behind: must lose something
  --help

Exit code 0: nothing was lost. 1: something was, or the drill did not come to its end. 2: it cannot run.`;

/** Reads the command line; throws a TypeError with a code for what it cannot be. */
export function readOptions(args: readonly string[], drawnSeed: number): Options | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "3" },
      only: { type: "string" },
      seed: { type: "string", default: String(drawnSeed) },
      clients: { type: "string", default: "8" },
      ttl: { type: "string", default: "20" },
      "loop-wait": { type: "string", default: "5" },
      "retry-timeout": { type: "string", default: "5" },
      "etcd-api": { type: "string" },
      control: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  const options = {
    rounds: positive("rounds", values.rounds),
    kinds: kinds(values.only),
    seed: positive("seed", values.seed),
    clients: positive("clients", values.clients),
    ttl: positive("ttl", values.ttl),
    loopWait: positive("loop-wait", values["loop-wait"]),
    retryTimeout: positive("retry-timeout", values["retry-timeout"]),
    isSynchronous: !values.control,
    etcdApi: etcdApi(values["etcd-api"]),
  };
  if (options.ttl < options.loopWait + 2 * options.retryTimeout)
    throw usage("--ttl must be at least --loop-wait and twice --retry-timeout together.");
  return options;
}

function kinds(only: string | undefined): readonly Fault[] {
  if (only === undefined) return ["kill", "freeze"];
  if (only !== "kill" && only !== "freeze") throw usage("--only takes kill or freeze.");
  return [only];
}

function etcdApi(text: string | undefined): 2 | 3 | undefined {
  if (text === undefined) return undefined;
  if (text !== "2" && text !== "3") throw usage("--etcd-api takes 2 or 3.");
  return text === "2" ? 2 : 3;
}

function positive(name: string, text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw usage(`--${name} takes a whole number from 1 on.`);
  return Number(text);
}

function usage(message: string): TypeError {
  return Object.assign(new TypeError(message), { code: "ERR_USAGE" });
}

/** Fails over the database of a running service, and proves that nothing acknowledged is lost. */
import { randomBytes, randomInt } from "node:crypto";
import { Http } from "../http.ts";
import { Random } from "../random.ts";
import { Cluster } from "./cluster.ts";
import type { Fault } from "./fault.ts";
import { Machine } from "./machine.ts";
import { HELP, readOptions, type Options } from "./options.ts";
import { etcdApiOf, findPrograms, MissingPackages, type Programs } from "./packages.ts";
import { report, roundNotes } from "./report.ts";
import { isClean, type RoundResult } from "./result.ts";
import { runRound } from "./round.ts";
import { startService } from "./service.ts";

const ATTEMPT_TIMEOUT_MS = 30_000;
const GIVE_UP_MS = 150_000;
const PROGRAM_LOGS = ["etcd", "patroni-a", "patroni-b", "haproxy"];

// The machine and the service end with this process, also when it is killed.
const interrupt = (): never => process.exit(130);

async function drill(options: Options, programs: Programs): Promise<RoundResult[]> {
  const machine = await Machine.open();
  const close: (() => unknown)[] = [() => machine.clear()];
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, interrupt);
  try {
    const etcdApi = options.etcdApi ?? (await etcdApiOf(programs));
    const settings = { ...options, etcdApi, password: randomBytes(16).toString("hex") };
    const cluster = await Cluster.start(machine, programs, settings);
    const service = await startService(machine.folder, cluster.databaseUrl);
    close.push(() => service.end("SIGKILL"));
    const http = new Http(() => service.baseUrl);
    const metrics = new Http(() => service.metricsUrl);
    close.push(
      () => http.close(),
      () => metrics.close(),
    );
    const access = {
      http,
      apiKey: service.apiKey,
      attemptTimeoutMs: ATTEMPT_TIMEOUT_MS,
      giveUpMs: GIVE_UP_MS,
    };
    const surroundings = { cluster, access, metrics, clients: options.clients };
    const results: RoundResult[] = [];
    const random = new Random(options.seed);
    for (const [index, fault] of faults(options).entries()) {
      console.log(`\nround ${index + 1}: ${fault}`);
      const result = await runRound(`${options.seed}-${index + 1}`, fault, random.fork(), surroundings);
      if (service.hasEnded()) throw new Error(`The service ended:\n${service.output()}`);
      results.push(result);
      if (!result.isHealed) console.error(await machine.lastLines(PROGRAM_LOGS));
      console.log([roundNotes(result), ...faultLines(result, service.output())].join("\n"));
      console.log(report([result]).split("\n").slice(0, 2).join("\n"));
      if (!result.isHealed) break;
    }
    return results;
  } catch (error) {
    console.error(await machine.lastLines(PROGRAM_LOGS));
    throw error;
  } finally {
    for (const step of close.toReversed()) await step();
  }
}

/** What the service logged of the requests that it answered 500. */
function faultLines({ log }: RoundResult, output: string): string[] {
  const ids = log.internalErrors.flatMap((text) => /"request_id":"(\w+)"/.exec(text)?.[1] ?? []);
  return output.split("\n").filter((line) => ids.some((id) => line.includes(id)));
}

function faults({ rounds, kinds, isSynchronous }: Options): Fault[] {
  const each = isSynchronous ? kinds : (["outrun"] as const);
  return Array.from({ length: rounds }, () => each).flat();
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), randomInt(2 ** 31));
  if (options === "help") {
    console.log(HELP);
    return 0;
  }
  const { seed, ttl, loopWait, retryTimeout, isSynchronous } = options;
  const programs = await findPrograms();
  console.log(`--seed ${seed} --ttl ${ttl} --loop-wait ${loopWait} --retry-timeout ${retryTimeout}`);
  const results = await drill(options, programs);
  console.log(`\n${report(results)}`);
  if (!isSynchronous) {
    const lost = results.some((result) => result.lost > 0);
    console.log(
      lost
        ? "The control lost what it had to: a loss is seen."
        : "The control lost nothing: the drill is blind.",
    );
    return lost ? 0 : 1;
  }
  return results.every(isClean) ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  const isUsage = error instanceof MissingPackages || (error instanceof TypeError && "code" in error);
  console.error(isUsage ? error.message : error);
  process.exitCode = isUsage ? 2 : 1;
}

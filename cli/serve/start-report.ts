import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../../src/platform/config/config.ts";
import type { Role } from "./role.ts";
import { SEAT } from "./siblings/channel.ts";

/** Shows on a terminal what a start does and where the service listens. Prints nothing when stderr is no terminal, or when this process is one of several. */
export async function reportingStart(config: Config, role: Role, start: () => Promise<void>): Promise<void> {
  if (!process.stderr.isTTY || SEAT.number in process.env) return await start();
  const startedMs = performance.now();
  if (role !== "gateway") print(await databaseLine(config));
  await start();
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  print([`ready in ${seconds} s`, ...listenerLines(config, role), "Ctrl-C ends it"].join("\n  "));
}

function print(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function databaseLine({ databaseUrl, dataDir }: Config): Promise<string> {
  if (databaseUrl !== undefined) return "preparing the database of DATABASE_URL, migrating it if need be ...";
  const isThere = await access(join(dataDir, "postgres", "cluster")).then(
    () => true,
    () => false,
  );
  return isThere
    ? `starting the database in ${dataDir}, migrating it if need be ...`
    : `creating a database in ${dataDir}, which only the first start does ...`;
}

/** Returns a line for each listener. */
function listenerLines({ host, port, corePort, coreHttpPort, publicUrl }: Config, role: Role): string[] {
  const isCore = role === "all" || role === "core";
  return [
    ...(role === "all" || role === "gateway" ? [`REST      ${publicUrl}/v1 (port ${port})`] : []),
    ...(role === "all" || role === "gateway" ? [`checkout  ${publicUrl}/pay/<link>`] : []),
    ...(isCore ? [`gRPC      ${host}:${corePort}`] : []),
    ...(role === "core" ? [`Connect   ${host}:${coreHttpPort}, for gateways`] : []),
    ...(role === "worker" ? ["the worker listens nowhere"] : []),
  ];
}

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { MIGRATIONS } from "../../src/migrations/migrate.ts";
import { hostInUrl, readConfig, type Config } from "../../src/platform/config.ts";
import { coreUrl } from "../client.ts";
import { findSecret } from "../kept-secret.ts";
import { judgeClocks, lookAtClocks } from "./clock.ts";
import { askCore, askCoreHttp, judgeCore } from "./core.ts";
import { judgeDataFolder, lookAtDataFolder } from "./data-folder.ts";
import { checkDataKey } from "./data-key.ts";
import { checkDatabasePackage } from "./database-package.ts";
import { judgeSettings, lookAtSettings } from "./database-settings.ts";
import { findDatabase } from "./database.ts";
import { findingsOf, lineOf, type Finding } from "./finding.ts";
import { judgeMigrations, lookAtMigrations } from "./migrations.ts";
import { judgeNode } from "./node-version.ts";
import { checkDoor, type Door } from "./ports.ts";
import { judgePrivateFiles, lookAtPrivateFiles } from "./private-files.ts";

const TIMEOUT_MS = 2000;

/** Looks at everything that a start needs, changes nothing, and tells of each thing as it is known. */
export async function* examine(env: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  const manifest = await readFile(join(import.meta.dirname, "..", "..", "package.json"), "utf8");
  yield judgeNode(
    process.versions.node,
    (JSON.parse(manifest) as { dependencies: { node: string } }).dependencies.node,
  );
  const { ok, problem } = findingsOf("configuration");
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    yield problem(lineOf(error), "Correct the variable; deploy/README.md has them all.");
    yield judgeClocks(await lookAtClocks(undefined));
    return;
  }
  yield ok("every variable can be used");
  yield await checkDatabasePackage(config.databaseUrl === undefined);
  yield judgeDataFolder(await lookAtDataFolder(config.dataDir));
  yield* judgePrivateFiles(await lookAtPrivateFiles(config.dataDir), process.getuid?.());
  yield* examineDatabase(config);
  // Without the file's owner's rights there is no token, and the core says so.
  const token = config.coreToken ?? (await findSecret(config.dataDir, "core-token").catch(() => undefined));
  for (const door of doorsOf(config, token)) yield await checkDoor(config.host, door);
  const url = coreUrl(config);
  yield judgeCore(url, await askCore(url, token));
}

async function* examineDatabase(config: Config): AsyncGenerator<Finding> {
  const { finding, client } = await findDatabase(config);
  yield finding;
  try {
    yield judgeClocks(await lookAtClocks(client));
    if (!client) return;
    yield* judgeSettings(await lookAtSettings(client));
    yield judgeMigrations(await lookAtMigrations(client, MIGRATIONS.keys()), MIGRATIONS);
    yield await checkDataKey(client, config);
  } catch (error) {
    yield findingsOf("database").problem(
      lineOf(error),
      "Give the role of DATABASE_URL the right to read its tables.",
    );
  } finally {
    await client?.end();
  }
}

function addressOf(host: string, port: number): string {
  return `http://${hostInUrl(host)}:${port}`;
}

/** Where the service listens. */
function doorsOf({ host, port, corePort, coreHttpPort }: Config, token: string | undefined): Door[] {
  return [
    { variable: "PORT", port, isOurs: () => isGateway(addressOf(host, port)) },
    {
      variable: "CORE_PORT",
      port: corePort,
      isOurs: async () => isCore(await askCore(addressOf(host, corePort), token)),
    },
    {
      variable: "CORE_HTTP_PORT",
      port: coreHttpPort,
      isOurs: async () => isCore(await askCoreHttp(addressOf(host, coreHttpPort), token)),
    },
  ];
}

function isCore(answer: string): boolean {
  return answer === "answers" || answer === "refuses the token";
}

async function isGateway(url: string): Promise<boolean> {
  const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    () => undefined,
  );
  return /^\{"status":"(ok|unavailable)"/.test((await response?.text()) ?? "");
}

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { MIGRATIONS } from "../../../src/migrations/migrate.ts";
import { readConfig, type Config } from "../../../src/platform/config/config.ts";
import type { ClientTls } from "../../../src/platform/config/tls.ts";
import { findSecret } from "../keys/kept-secret.ts";
import { readClientTls } from "../../serve/tls.ts";
import { judgeClocks, lookAtClocks } from "./clock.ts";
import { checkCertificate } from "./certificates.ts";
import { askCore, judgeCore } from "./core.ts";
import { judgeDataFolder, lookAtDataFolder } from "./data-folder.ts";
import { checkDataKey, judgeUncomparedKey } from "./data-key.ts";
import { checkDatabasePackage } from "./database-package.ts";
import { judgeSettings, lookAtSettings } from "./database-settings.ts";
import { findDatabase } from "./database.ts";
import { findingsOf, lineOf, type Finding } from "./finding.ts";
import { examineMail } from "./mail.ts";
import { judgeMigrations, lookAtMigrations } from "./migrations.ts";
import { judgeNode } from "./node-version.ts";
import { listenersOf } from "./listeners.ts";
import { checkListeners } from "./ports.ts";
import { judgeProviders, lookAtProviders } from "./providers.ts";
import { judgePublicAddress } from "./public-address.ts";
import { judgeProxies } from "./proxies.ts";
import { judgeReplica, lookAtReplica } from "./replica.ts";
import { judgeRates, lookAtRates } from "./rates.ts";
import { judgeRules, lookAtRules } from "./rules.ts";
import { judgeWorker, lookAtWorker } from "./worker.ts";
import { judgePrivateFiles, lookAtPrivateFiles } from "./private-files.ts";

/** Checks everything that a start needs and changes nothing. Yields each finding as soon as it is known. */
export async function* examine(env: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  const manifest = await readFile(join(import.meta.dirname, "..", "..", "..", "package.json"), "utf8");
  yield judgeNode(
    process.versions.node,
    (JSON.parse(manifest) as { dependencies: { node: string } }).dependencies.node,
  );
  const { ok, warning, problem } = findingsOf("configuration");
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    yield problem(lineOf(error), "Correct the variable; docs/variables.md has all variables.");
    yield judgeClocks(await lookAtClocks(undefined));
    return;
  }
  yield ok("every variable can be used");
  for (const text of config.warnings)
    yield warning(text, "Change the environment; docs/variables.md has all variables.");
  yield* judgePublicAddress(config);
  yield judgeProxies(config);
  yield* examineMail(config);
  yield await checkDatabasePackage(config.databaseUrl === undefined);
  yield judgeDataFolder(await lookAtDataFolder(config.dataDir));
  yield* judgePrivateFiles(await lookAtPrivateFiles(config.dataDir), process.getuid?.());
  yield* examineDatabase(config);
  // If the user may not read the file, there is no token and the check of the core reports it.
  const token = config.coreToken ?? (await findSecret(config.dataDir, "core-token").catch(() => undefined));
  yield await checkCertificate("gateway", config.gatewayTls, Date.now());
  yield await checkCertificate("core", config.coreTls, Date.now());
  let tls: ClientTls;
  try {
    tls = readClientTls(config.coreClientTls);
  } catch (error) {
    yield findingsOf("TLS").problem(lineOf(error), "Correct CORE_CA, CORE_CLIENT_CERT and CORE_CLIENT_KEY.");
    return;
  }
  yield* checkListeners(config.host, listenersOf(config, token, tls));
  yield judgeCore(config.coreUrl, await askCore(config.coreUrl, token, tls));
}

async function* examineDatabase(config: Config): AsyncGenerator<Finding> {
  const { finding, client } = await findDatabase(config);
  yield finding;
  try {
    yield judgeClocks(await lookAtClocks(client));
    if (!client) {
      if (config.databaseUrl === undefined) yield await judgeUncomparedKey(config);
      return;
    }
    yield* judgeSettings(await lookAtSettings(client));
    if (config.replica) {
      yield judgeReplica(await lookAtReplica(config.replica, client), config.replica.lagMsMax);
    }
    yield judgeMigrations(await lookAtMigrations(client, MIGRATIONS.keys()), MIGRATIONS);
    yield await checkDataKey(client, config);
    const trace = await lookAtWorker(client);
    if (trace) yield judgeWorker(trace, Date.now(), config.databaseUrl === undefined);
    const unpriced = await lookAtRules(client);
    if (unpriced) yield* judgeRules(unpriced);
    const rate = await lookAtRates(client, new Date());
    if (rate) yield* judgeRates(rate, config.ptax !== undefined);
    const accounts = await lookAtProviders(client);
    if (accounts) yield* judgeProviders(accounts, Date.now());
  } catch (error) {
    yield findingsOf("database").problem(
      lineOf(error),
      "Give the role of DATABASE_URL the right to read its tables.",
    );
  } finally {
    await client?.end();
  }
}

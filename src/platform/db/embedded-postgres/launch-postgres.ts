import { rmdir } from "node:fs/promises";
import { resolve } from "node:path";
import { reachableBinaries } from "./reachable-binaries.ts";
import { findBinaries } from "./binaries.ts";
import { accountFor, openCluster, openDataFolder, type ClusterFiller } from "./cluster.ts";
import { KeptServer } from "./kept-server.ts";
import { keepLogBounded, logFileOf } from "./log-file.ts";
import { findRootHome } from "./root-home.ts";
import type { RootHome } from "./root-home.ts";
import { serverSettings } from "./server-settings.ts";
import { makeSocketFolder, PORT } from "./socket-folder.ts";
import { startServer } from "./start-server.ts";
import type { SupervisedServer } from "./supervised-server.ts";

/** A running PostgreSQL of this process, reached through a socket that only its own user can open. */
export interface EmbeddedPostgres {
  readonly socketDir: string;
  readonly port: number;
  readonly user: string;
  /**
   * Returns a connection string for `pg` and libpq. The database must exist (`postgres` does from the start). Its name
   * may have no special character of a URL, such as `/`, `?` or `&`: `pg` does not decode those.
   */
  connectionString(database: string): string;
  /** Ends all connections, and resolves when the server is gone. */
  stop(): Promise<void>;
  /** Calls the listener once if the server ends for good without a call of `stop`. */
  onExit(listener: (detail: string) => void): void;
}

export interface LaunchPostgresOptions {
  /** Created on the first start. Exactly one server may use it at a time. */
  readonly dataDir: string;
  /** Server settings besides the launcher's own. The settings that keep payments durable cannot be changed. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Fills the folder of a cluster that is created now. Absent: it is empty. */
  readonly fill?: ClusterFiller;
  /** Receives notices for the operator: the location of data, and slow steps. */
  readonly onNotice?: (line: string) => void;
  /** Is called when the server's process runs, before it accepts connections. */
  readonly onSpawned?: () => void;
  /** Maximum number of restarts within ten minutes; absent: 5. */
  readonly restartsMax?: number;
  /** Is called for each restart: how the server ended, with the last lines of its log. */
  readonly onRestart?: (detail: string) => void;
}

const USER = "paylink";
const RESTARTS_MAX = 5;

/**
 * Starts PostgreSQL on the data folder, and creates its database first if there is none. The server ends with this
 * process, even if the process is killed. If it ends unexpectedly, it is restarted at the same address. Throws if the
 * folder is in use or the server does not start.
 */
export async function launchPostgres(options: LaunchPostgresOptions): Promise<EmbeddedPostgres> {
  const onNotice = options.onNotice ?? (() => undefined);
  const settings = serverSettings(options.settings ?? {});
  const dataDir = await openDataFolder(resolve(options.dataDir));
  const account = await accountFor(dataDir);
  const home = async (): Promise<RootHome> => {
    if (account === undefined) throw new Error("Only root needs another folder.");
    return await findRootHome(account);
  };
  const binaries = await reachableBinaries({
    binaries: await findBinaries(),
    account,
    home: async () => (await home()).folder,
    onNotice,
  });
  const cluster = await openCluster({ dataDir, account, binaries, home, onNotice, fill: options.fill });
  const socketDir = await makeSocketFolder(account);
  const start = async (): Promise<SupervisedServer> =>
    await startServer({
      account,
      postgres: binaries.postgres,
      cluster,
      settings,
      socketDir,
      onSpawned: options.onSpawned,
    });
  const logFile = logFileOf(cluster);
  try {
    const { restartsMax = RESTARTS_MAX, onRestart = () => undefined } = options;
    const server = new KeptServer(await start(), { start, logFile, restartsMax, onRestart });
    return handleOf(server, socketDir, logFile);
  } catch (error) {
    await removeFolder(socketDir);
    throw error;
  }
}

/** Returns the connection string of an embedded server by the folder of its socket. */
export function connectionStringOf(socketDir: string, database: string): string {
  const host = encodeURIComponent(socketDir);
  return `postgresql://${USER}@localhost/${encodeURIComponent(database)}?host=${host}&port=${PORT}`;
}

/** The guard has removed it, unless the server ended by itself or the guard was killed. */
async function removeFolder(socketDir: string): Promise<void> {
  await rmdir(socketDir).catch(() => undefined);
}

function handleOf(server: KeptServer, socketDir: string, logFile: string): EmbeddedPostgres {
  const stopBounding = keepLogBounded(logFile);
  void server.ended.then(stopBounding);
  return {
    socketDir,
    port: PORT,
    user: USER,
    connectionString: (database) => connectionStringOf(socketDir, database),
    async stop() {
      await server.stop();
      await removeFolder(socketDir);
    },
    onExit(listener) {
      void server.ended.then((detail) => detail !== undefined && listener(detail));
    },
  };
}

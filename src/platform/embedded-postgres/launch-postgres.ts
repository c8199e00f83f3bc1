import { rmdir } from "node:fs/promises";
import { resolve } from "node:path";
import { reachableBinaries } from "./reachable-binaries.ts";
import { findBinaries } from "./binaries.ts";
import { accountFor, openCluster, openDataFolder } from "./cluster.ts";
import { keepLogBounded, logFileOf, logTail } from "./log-file.ts";
import { findRootHome } from "./root-home.ts";
import type { RootHome } from "./root-home.ts";
import { serverSettings } from "./server-settings.ts";
import { PORT } from "./socket-folder.ts";
import { startServer } from "./start-server.ts";
import type { StartedServer } from "./start-server.ts";

/** A running PostgreSQL of this process, reached through a socket that only its own user can open. */
export interface EmbeddedPostgres {
  readonly socketDir: string;
  readonly port: number;
  readonly user: string;
  /**
   * For `pg` and libpq; the database must exist (`postgres` does from the start). Its name must hold no
   * character that is special in a URL, such as `/`, `?` or `&`: `pg` does not decode those.
   */
  connectionString(database: string): string;
  /** Ends all connections and resolves when the server is gone. */
  stop(): Promise<void>;
  /** Calls the listener, once, if the server ends although nobody called `stop`. */
  onExit(listener: (detail: string) => void): void;
}

export interface LaunchPostgresOptions {
  /** Made on the first start. Exactly one server may use it at a time. */
  readonly dataDir: string;
  /** Server settings besides the launcher's own; those that keep payments durable cannot be changed. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Told what an operator should know: where data went, what takes long. */
  readonly onNotice?: (line: string) => void;
}

const USER = "paylink";

/**
 * Starts PostgreSQL on the data folder and creates its database first if there is none. The server ends with
 * this process, however that ends. Throws when the folder is in use or the server does not start.
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
  const cluster = await openCluster({ dataDir, account, binaries, home, onNotice });
  return handleOf(await startServer({ account, postgres: binaries.postgres, cluster, settings }), cluster);
}

function handleOf({ server, socketDir }: StartedServer, cluster: string): EmbeddedPostgres {
  const stopBounding = keepLogBounded(logFileOf(cluster));
  let stopping = false;
  const died = server.exited.then(async (how) => {
    stopBounding();
    if (stopping) return undefined;
    return `PostgreSQL ${how}.\n${await logTail(logFileOf(cluster))}`;
  });
  server.unref();
  return {
    socketDir,
    port: PORT,
    user: USER,
    connectionString(database) {
      const host = encodeURIComponent(socketDir);
      return `postgresql://${USER}@localhost/${encodeURIComponent(database)}?host=${host}&port=${PORT}`;
    },
    async stop() {
      stopping = true;
      server.shutDown();
      await server.gone;
      // The guard has removed it, unless somebody killed the guard.
      await rmdir(socketDir).catch(() => undefined);
    },
    onExit(listener) {
      void died.then((detail) => detail !== undefined && listener(detail));
    },
  };
}

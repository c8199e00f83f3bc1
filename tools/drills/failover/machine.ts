import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, rmSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  canEnter,
  defaultAccount,
  identityOf,
  runsAsRoot,
  SERVER_ENVIRONMENT,
  type Account,
} from "../../../src/platform/db/embedded-postgres/account.ts";
import { postmasterOf, signalAll, withDescendants } from "./process-tree.ts";

const LOG_LINES = 15;
// What is killed may still write for a moment.
const REMOVE = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 } as const;

/** A temporary folder and the processes that run in it; both are gone after `clear`, however the drill ends. */
export class Machine {
  readonly folder: string;
  readonly #account: Account | undefined;
  readonly #children = new Set<ChildProcess>();
  /** Folders whose postmaster is no descendant of ours once its Patroni is gone. */
  readonly #dataDirs: string[] = [];

  private constructor(folder: string, account: Account | undefined) {
    this.folder = folder;
    this.#account = account;
  }

  /** As root, what runs in it runs as the user `postgres`, for PostgreSQL refuses root. */
  static async open(): Promise<Machine> {
    const account = runsAsRoot() ? await defaultAccount() : undefined;
    const folder = await mkdtemp(join(tmpdir(), "paylink-failover-"));
    await chmod(folder, 0o711);
    const machine = new Machine(folder, account);
    process.once("exit", () => {
      machine.#killAll();
      rmSync(folder, REMOVE);
    });
    if (account && !(await canEnter(account, folder))) {
      await machine.clear();
      throw new Error(
        `The user ${account.name} cannot enter ${tmpdir()}: set TMPDIR to a folder that it can.`,
      );
    }
    return machine;
  }

  /** A folder of the account's own. */
  async makeFolder(name: string): Promise<string> {
    const path = join(this.folder, name);
    await mkdir(path, { mode: 0o700 });
    if (this.#account) await chown(path, this.#account.uid, this.#account.gid);
    return path;
  }

  /** A file that only the account can read. */
  async writeFile(name: string, text: string): Promise<string> {
    const path = join(this.folder, name);
    await writeFile(path, text, { mode: 0o600 });
    if (this.#account) await chown(path, this.#account.uid, this.#account.gid);
    return path;
  }

  /** Says that a PostgreSQL may run in the folder. */
  watchDataDir(dataDir: string): void {
    this.#dataDirs.push(dataDir);
  }

  /** Starts a program as the account; what it prints is kept in a file of its name. */
  start(name: string, file: string, args: readonly string[], env: Record<string, string> = {}): ChildProcess {
    const log = openSync(join(this.folder, `${name}.log`), "a");
    const child = spawn(file, args, {
      cwd: "/",
      env: { ...SERVER_ENVIRONMENT, ...env },
      stdio: ["ignore", log, log],
      // Ctrl-C ends the drill, which then ends them.
      detached: true,
      ...identityOf(this.#account),
    });
    closeSync(log);
    child.on("error", () => undefined);
    this.#children.add(child);
    child.once("exit", () => this.#children.delete(child));
    return child;
  }

  /** The end of what each program printed, for the report of a failure. */
  async lastLines(names: readonly string[]): Promise<string> {
    const parts = names.map(async (name) => {
      const text = await readFile(join(this.folder, `${name}.log`), "utf8").catch(() => "");
      return `== ${name}\n${text.trimEnd().split("\n").slice(-LOG_LINES).join("\n")}`;
    });
    return (await Promise.all(parts)).join("\n");
  }

  /** Ends every process and removes the folder. */
  async clear(): Promise<void> {
    const gone = [...this.#children].map((child) => once(child, "exit"));
    this.#killAll();
    await Promise.all(gone);
    await rm(this.folder, REMOVE);
  }

  #killAll(): void {
    const children = [...this.#children].flatMap(({ pid }) => pid ?? []);
    const postmasters = this.#dataDirs.flatMap((dataDir) => postmasterOf(dataDir) ?? []);
    signalAll(withDescendants([...children, ...postmasters]), "SIGKILL");
  }
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a command line in a shell came to. */
export interface ShellResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that goes on. */
export interface Started {
  /** What it printed so far. */
  readonly output: () => Promise<string>;
  /** Plays Ctrl-C and answers the exit code. */
  readonly interrupt: () => Promise<number>;
}

/** A bash in which one command line after another runs: what one sets, the next one finds. */
export interface Shell {
  run(command: string, limitMs?: number): Promise<ShellResult>;
  /** Starts one that does not end by itself. */
  start(command: string): Promise<Started>;
  close(): Promise<void>;
}

const LIMIT_MS = 60_000;

/** Starts a bash in this folder with these variables besides this process's own. */
export async function openShell(cwd: string, env: Readonly<Record<string, string>>): Promise<Shell> {
  const folder = await mkdtemp(join(tmpdir(), "paylink-shell-"));
  const child = spawn("bash", ["--noprofile", "--norc"], { cwd, env: { ...process.env, ...env } });
  child.stderr.resume();
  let printed = "";
  let notify = (): void => undefined;
  child.stdout.on("data", (chunk: Buffer) => {
    printed += String(chunk);
    notify();
  });
  let count = 0;
  const running = new Set<number>();
  /** Waits for the shell's next line. */
  const line = async (limitMs: number): Promise<string> => {
    const deadline = AbortSignal.timeout(limitMs);
    while (!printed.includes("\n")) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      notify = resolve;
      deadline.addEventListener("abort", () => reject(new Error("the shell did not come back")));
      await promise;
    }
    const at = printed.indexOf("\n");
    const first = printed.slice(0, at);
    printed = printed.slice(at + 1);
    return first;
  };
  const run: Shell["run"] = async (command, limitMs = LIMIT_MS) => {
    const file = join(folder, String((count += 1)));
    // In a group, not a subshell: variables and functions stay. What it prints goes to files, its status to us.
    child.stdin.write(`{ ${command}\n} </dev/null >${file}.out 2>${file}.err; echo $?\n`);
    const code = Number(await line(limitMs));
    const [stdout, stderr] = await Promise.all([
      readFile(`${file}.out`, "utf8"),
      readFile(`${file}.err`, "utf8"),
    ]);
    return { code, stdout, stderr };
  };
  return {
    run,
    start: async (command) => {
      const file = join(folder, String((count += 1)));
      // Under job control it is a process group of its own, so that Ctrl-C can be played to all of it.
      const { stdout } = await run(`set -m; ${command} >${file}.log 2>&1 & set +m; echo $!`);
      const pid = Number(stdout);
      running.add(pid);
      return {
        output: async () => await readFile(`${file}.log`, "utf8").catch(() => ""),
        interrupt: async () => {
          process.kill(-pid, "SIGINT");
          running.delete(pid);
          return (await run(`wait ${pid}`)).code;
        },
      };
    },
    close: async () => {
      for (const pid of running) killGroup(pid);
      const closed = once(child, "close");
      child.stdin.end();
      await closed;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Ends what a test that failed has left, if it has not ended by itself. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

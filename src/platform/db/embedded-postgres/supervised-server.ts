import { spawn } from "node:child_process";
import { Socket } from "node:net";
import { identityOf, SERVER_ENVIRONMENT } from "./account.ts";
import type { Account } from "./account.ts";
import { SOCKET } from "./socket-folder.ts";

/** A running `postgres`, and the guard that shuts it down when this process is gone. */
export interface SupervisedServer {
  /** NaN if it could not be started. */
  readonly pid: number;
  /** Resolves with how the server ended, in words. */
  readonly exited: Promise<string>;
  /** Resolves when the server and its guard are gone. After a shutdown request, the socket folder is gone too. */
  readonly gone: Promise<void>;
  /** Requests a fast shutdown; `gone` resolves at its end. */
  shutDown(): void;
  /** Lets this process end while the server runs. The server then stops too. */
  unref(): void;
}

export interface SupervisedServerOptions {
  readonly account: Account | undefined;
  readonly command: readonly string[];
  readonly socketDir: string;
  readonly logFile: string;
  /** The socket folder of a crashed server, to be removed; empty for none. */
  readonly staleSocketDir: string;
}

/*
 * The shell becomes the server. First it starts the guard, which reads the lifeline: a socket whose other end only this
 * Node process has, so that it closes however Node ends. The guard then requests a fast shutdown (SIGINT, repeatedly,
 * because a server that is just starting misses the first), after 10 s an immediate one (SIGQUIT), and removes the
 * socket folder. If the server ended by itself, the guard leaves the folder: the next server uses it, and in between no
 * other process can take the name. The double fork prevents that the guard is the server's child.
 */
const SCRIPT = `
umask 077
log=$1 socket_dir=$2 socket=$3 stale_dir=$4
shift 4
server=$$
remove_socket() {
  rm -f "$1/$socket" "$1/$socket.lock"
}
mkdir -p "\${log%/*}"
if [ -s "$log" ]; then mv -f "$log" "$log.1"; fi
if [ -n "$stale_dir" ]; then
  remove_socket "$stale_dir" 2>/dev/null
  rmdir "$stale_dir" 2>/dev/null
fi
(
  (
    trap '' HUP INT TERM
    message=
    while read -r line; do message=$line; done
    tries=0
    signal=INT
    while [ "$message" != exited ] && [ "$tries" -lt 400 ] && kill -s "$signal" "$server"; do
      sleep 0.05 </dev/null
      tries=$((tries + 1))
      if [ "$tries" -ge 200 ]; then signal=QUIT; fi
    done
    remove_socket "$socket_dir"
    if [ "$message" != exited ]; then rmdir "$socket_dir"; fi
  ) <&3 3<&- >/dev/null 2>&1 &
)
exec "$@" 3<&- >>"$log" 2>&1
`;

/** Starts the server in its own process group, which the terminal's Ctrl-C does not reach. */
export function superviseServer(options: SupervisedServerOptions): SupervisedServer {
  const { account, command, socketDir, logFile, staleSocketDir } = options;
  const args = ["-c", SCRIPT, "paylink-postgres", logFile, socketDir, SOCKET, staleSocketDir, ...command];
  const child = spawn("/bin/sh", args, {
    cwd: "/",
    detached: true,
    env: SERVER_ENVIRONMENT,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
    ...identityOf(account),
  });
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`could not be started: ${error.message}`));
    child.once("exit", (code, signal) =>
      resolve(code === null ? `was killed by ${signal}` : `exited with ${code}`),
    );
  });
  const lifeline = child.stdio[3];
  if (!(lifeline instanceof Socket)) throw new Error("The server's lifeline is not a socket.");
  const closed = new Promise<void>((resolve) => lifeline.once("close", () => resolve()));
  // `closed` reports the end, whatever the reason.
  lifeline.on("error", () => undefined);
  lifeline.resume();
  let running = true;
  const ended = exited.then(() => {
    running = false;
    // After this message, the guard does not signal another process that may have got the server's id.
    if (!lifeline.writableEnded) lifeline.end("exited\n");
  });
  return {
    pid: child.pid ?? Number.NaN,
    exited,
    gone: Promise.all([ended, closed]).then(() => undefined),
    shutDown() {
      child.ref();
      lifeline.ref();
      if (!lifeline.destroyed) lifeline.end();
      // Only if the guard was killed.
      else if (running) child.kill("SIGINT");
    },
    unref() {
      child.unref();
      lifeline.unref();
    },
  };
}

import { fork, type ChildProcess } from "node:child_process";

/**
 * Starts a module in a process of its own, which has no secret of the service: for work on given bytes whose cost only
 * shows in its course, for a process can be killed in the midst of it, and a thread cannot. `stdin`: "pipe" for large bytes.
 */
export function startKillableProcess(module: URL, stdin: "ignore" | "pipe" = "ignore"): ChildProcess {
  return fork(module, {
    execArgv: [],
    env: {},
    serialization: "advanced",
    stdio: [stdin, "ignore", "ignore", "ipc"],
  });
}

import { expect } from "vitest";
import { makeDataFolder } from "../support/data-folder.ts";
import { runCommand, startProcess, type CommandResult, type ServiceProcess } from "../support/process.ts";

/** `npm start` on a data folder of its own, and the commands of its operator. */
export class Served {
  readonly dataDir: string;
  readonly #remove: () => Promise<void>;
  #service: ServiceProcess;

  private constructor(dataDir: string, remove: () => Promise<void>, service: ServiceProcess) {
    this.dataDir = dataDir;
    this.#remove = remove;
    this.#service = service;
  }

  static async start(): Promise<Served> {
    const { path, remove } = await makeDataFolder();
    return new Served(path, remove, await startProcess(path));
  }

  get service(): ServiceProcess {
    return this.#service;
  }

  /** Starts it once more on the same data, after it ended. */
  async startAgain(): Promise<void> {
    this.#service = await startProcess(this.dataDir);
  }

  async paylink(...args: string[]) {
    return await runCommand(args, this.#service.env);
  }

  /** What a command answers as JSON, on one line and without an error. */
  // oxlint-disable-next-line typescript/no-explicit-any
  async json(...args: string[]): Promise<any> {
    return JSON.parse(onlyLineOf(await this.paylink(...args, "--json")));
  }

  async close(): Promise<void> {
    await this.#service.end("SIGTERM");
    await this.#remove();
  }
}

function onlyLineOf({ code, stdout, stderr }: CommandResult): string {
  expect(stderr).toBe("");
  expect(code).toBe(0);
  expect(stdout.trimEnd().split("\n")).toHaveLength(1);
  return stdout;
}

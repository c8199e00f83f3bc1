import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { FastifyInstance } from "fastify";
import { mkdtemp, rm } from "node:fs/promises";
import type { Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { hostInUrl } from "../host-in-url.ts";
import type { ServerTls } from "../tls.ts";
import { readIntroduction } from "./greeting.ts";
import {
  TOKEN_BYTES,
  type FromThread,
  type Introduced,
  type ThreadBounds,
  type ThreadData,
  type ToThread,
} from "./protocol.ts";

export interface TlsFrontOptions {
  /** With `ca`, a client needs a certificate of that authority; else it may show any, or none. */
  readonly tls: ServerTls;
  /** Names of ALPN, the preferred one first. */
  readonly protocols: readonly string[];
  readonly bounds: ThreadBounds;
  /** Gets what the client of each connection showed, in DER, its own certificate first. */
  readonly certificates?: WeakMap<object, readonly Uint8Array[]>;
  /** Is called when the thread ended by a fault. Another one takes its place. */
  readonly onFault: (error: unknown) => void;
}

/** Where it listens. `isShared`: other processes listen there too, which Linux gives turns. */
interface Place {
  readonly host: string;
  readonly port: number;
  readonly isShared?: boolean;
}

const THREAD = new URL("thread.ts", import.meta.url);
const HEAP_MB = 256;
const AGAIN_MS = { least: 100, most: 5000 };
// For what clients have not taken when the server behind has closed.
const REST_MS = 2000;

/**
 * Serves a server's clients over TLS and asks them for certificates, in a thread: OpenSSL verifies whatever chain a
 * client shows before anything can refuse it, which may take seconds. The thread passes plain bytes on to the server,
 * by a socket in a folder of this user alone. Create it when the server has all its listeners. It ends with the server.
 */
export class TlsFront {
  readonly #app: FastifyInstance;
  readonly #options: TlsFrontOptions;
  readonly #token = randomBytes(TOKEN_BYTES);
  #tls: ServerTls;
  #folder: string | undefined;
  #thread: Worker | undefined;
  #isStopped = false;

  constructor(app: FastifyInstance, options: TlsFrontOptions) {
    this.#app = app;
    this.#options = options;
    this.#tls = options.tls;
    this.#greetFirst(app.server);
    app.addHook("preClose", async () => await this.stop());
    app.addHook("onClose", async () => await this.#end());
  }

  /** Returns the address. Throws the system's error if it cannot listen. */
  async listen(at: Place): Promise<string> {
    this.#folder = await mkdtemp(join(tmpdir(), "paylink-tls-"));
    await this.#app.listen({ path: join(this.#folder, "server"), exclusive: true });
    const { address, port } = await this.#start(at);
    return `https://${hostInUrl(address)}:${port}`;
  }

  /** Gives another certificate to new connections. */
  setSecureContext(tls: ServerTls): void {
    this.#tls = tls;
    this.#ask({ kind: "renew", tls });
  }

  /** Accepts no new connections. Those that are there go on. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    if (!this.#thread) return;
    this.#ask({ kind: "stop" });
    await Promise.race([once(this.#thread, "message"), once(this.#thread, "exit"), wait(REST_MS)]);
  }

  async #end(): Promise<void> {
    if (this.#thread) {
      const ended = once(this.#thread, "exit");
      this.#ask({ kind: "end" });
      await Promise.race([ended, wait(REST_MS, undefined, { ref: false })]);
      await this.#thread.terminate();
    }
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }

  #ask(message: ToThread): void {
    this.#thread?.postMessage(message);
  }

  /** Starts a thread. Throws the system's error if it cannot listen. */
  async #start(at: Place): Promise<{ address: string; port: number }> {
    const { protocols, bounds } = this.#options;
    const path = join(this.#folder ?? "", "server");
    const workerData: ThreadData = {
      host: at.host,
      port: at.port,
      isShared: at.isShared ?? false,
      tls: this.#tls,
      protocols,
      bounds,
      path,
      token: this.#token,
    };
    const thread = new Worker(THREAD, {
      workerData,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    this.#thread = thread;
    const fault: { error?: unknown } = {};
    thread.on("error", (error) => (fault.error = error));
    const exited = once(thread, "exit").then(() => {
      throw fault.error ?? new Error("the thread of TLS ended");
    });
    exited.catch(() => undefined);
    const [message] = (await Promise.race([once(thread, "message"), exited])) as [FromThread];
    if (message.kind !== "listening") {
      await thread.terminate();
      throw refusal(message);
    }
    const place = { ...at, port: message.port };
    exited.catch((error: unknown) => void this.#startAgain(place, error));
    return message;
  }

  /** Starts a thread in place of one that ended, later each time while it cannot be. */
  async #startAgain(at: Place, error: unknown): Promise<void> {
    let [fault, waitMs] = [error, AGAIN_MS.least];
    while (!this.#isStopped) {
      this.#options.onFault(fault);
      await wait(waitMs, undefined, { ref: false });
      if (this.#isStopped) return;
      try {
        await this.#start(at);
        return;
      } catch (again) {
        [fault, waitMs] = [again, Math.min(2 * waitMs, AGAIN_MS.most)];
      }
    }
  }

  /** Puts the introduction of a client before what the server does with a connection. */
  #greetFirst(server: Server): void {
    const listeners = server.listeners("connection");
    server.removeAllListeners("connection");
    server.on("connection", (socket: Socket) => {
      readIntroduction(socket, this.#token, (introduced) => {
        const shown = introduced.certificates.map((text) => Buffer.from(text, "base64"));
        this.#options.certificates?.set(socket, shown);
        showAs(socket, introduced);
        for (const listener of listeners) listener.call(server, socket);
      });
    });
  }
}

/** Makes the socket look like that of the thread's client. */
function showAs(socket: Socket, { address, port, protocol }: Introduced): void {
  Object.defineProperties(socket, {
    remoteAddress: { value: address },
    remotePort: { value: port },
    encrypted: { value: true },
    alpnProtocol: { value: protocol === "" ? false : protocol },
  });
}

function refusal(message: FromThread): Error {
  const { code, message: text } = message.kind === "refused" ? message : { code: "", message: message.kind };
  return Object.assign(new Error(text), { code });
}

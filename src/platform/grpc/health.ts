import { setTimeout as passes } from "node:timers/promises";
import type { DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import {
  HealthCheckResponse_ServingStatus as Status,
  type Health,
} from "#schemas/grpc/health/v1/health_pb.js";

const WATCH_MS = 1000;
const WATCHERS_MAX = 500;

/** The client went away, or the server closes: it is to watch another one. */
function stopping(): never {
  throw new ConnectError("The service is stopping.", Code.Unavailable);
}

/** The gRPC health checking protocol. The service "" means all services. */
export class HealthService {
  readonly #names: ReadonlySet<string>;
  readonly #isServing: () => Promise<boolean>;
  #watcherCount = 0;

  /** Every client may ask, so `isServing` must cache its result for a while. */
  constructor(services: readonly DescService[], isServing: () => Promise<boolean>) {
    this.#names = new Set(["", ...services.map(({ typeName }) => typeName)]);
    this.#isServing = isServing;
  }

  readonly rpcs: ServiceImpl<typeof Health> = {
    check: async ({ service }) => {
      if (!this.#names.has(service)) throw new ConnectError("There is no such service.", Code.NotFound);
      return { status: await this.#status() };
    },
    list: async () => {
      const status = await this.#status();
      return { statuses: Object.fromEntries([...this.#names].map((name) => [name, { status }])) };
    },
    watch: ({ service }, context) => this.#changes(service, context),
  };

  async *#changes(service: string, { signal }: HandlerContext): AsyncGenerator<{ status: Status }> {
    if (this.#watcherCount >= WATCHERS_MAX) throw new ConnectError("Too many watch.", Code.ResourceExhausted);
    this.#watcherCount++;
    try {
      yield* this.#states(service, signal);
    } finally {
      this.#watcherCount--;
    }
  }

  async *#states(service: string, signal: AbortSignal): AsyncGenerator<{ status: Status }> {
    let sent: Status | undefined;
    for (;;) {
      const status = this.#names.has(service) ? await this.#status() : Status.SERVICE_UNKNOWN;
      if (status !== sent) yield { status };
      sent = status;
      await passes(WATCH_MS, undefined, { signal }).catch(stopping);
    }
  }

  async #status(): Promise<Status> {
    const isServing = await this.#isServing().catch(() => false);
    return isServing ? Status.SERVING : Status.NOT_SERVING;
  }
}

import type { Metrics } from "../../observe/metrics.ts";
import { FIRST, SEAT, type FromSibling, type Question, type ToSibling } from "./channel.ts";

/** What a sibling answers the primary. */
export interface Answers {
  readonly metrics: Metrics;
  readonly isReady: () => Promise<boolean>;
  /** Drains and ends the process. */
  readonly end: () => void;
}

/** This process as one of several behind one port. */
export class Seat {
  readonly databaseUrl: string | undefined;
  /** True: it works in the background, prepares the database and creates the demo. */
  readonly isFirst: boolean;

  private constructor(number: number, databaseUrl: string | undefined) {
    this.isFirst = number === FIRST;
    this.databaseUrl = databaseUrl;
  }

  /** Returns the seat that the primary gave to this process; undefined: it serves alone. */
  static ofProcess(): Seat | undefined {
    const { [SEAT.number]: number, [SEAT.databaseUrl]: databaseUrl } = process.env;
    return number === undefined || !process.connected ? undefined : new Seat(Number(number), databaseUrl);
  }

  /** Begins to answer the primary. */
  attend({ metrics, isReady, end }: Answers): void {
    const answers: Readonly<Record<Question, () => Promise<unknown>>> = {
      metrics: async () => await metrics.registry.getMetricsAsJSON(),
      readiness: isReady,
    };
    process.on("message", (message: ToSibling) => {
      if (message.kind === "end") return end();
      // The counts of requests come by the same way.
      if (message.kind !== "ask") return;
      const { id, what } = message;
      return void answers[what]().then(
        (value) => send({ kind: "answer", id, value }),
        () => undefined,
      );
    });
  }

  reportStarted(): void {
    send({ kind: "started" });
  }

  /** Resolves when the primary has the reason. */
  async reportFailure(reason: string): Promise<void> {
    await new Promise<void>((resolve) => {
      send({ kind: "failed", reason }, resolve);
    });
  }
}

/** Without a primary the process ends by itself. */
function send(message: FromSibling, done: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, undefined, {}, done);
  else done();
}

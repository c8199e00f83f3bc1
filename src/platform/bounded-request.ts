import type { Agent, buildConnector, Client, Dispatcher } from "undici";
import { boundedText, type AnswerBounds } from "./bounded-text.ts";
import { undici } from "./lazy-undici.ts";

/** A request to a server outside, which may answer anything. */
interface BoundedRequest {
  /** Of `boundedAgent`. */
  readonly dispatcher: Agent;
  readonly method?: "GET" | "PUT" | "PATCH" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
  /** What a success may hold at most. */
  readonly bounds: AnswerBounds;
  /** What an answer of another status may hold at most; that of a success unless given. */
  readonly refusalBounds?: AnswerBounds;
}

interface BoundedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Undefined: it is beyond its bounds. */
  readonly text: string | undefined;
}

/** The code of an answer that is larger than its bounds, in its body or around it. */
export const ANSWER_TOO_LARGE = "answer_too_large";

/** An answer that has no end: it was not read any further. Its connection is closed. */
class EndlessAnswer extends Error {
  readonly code: typeof ANSWER_TOO_LARGE | "too_many_interim_answers";

  constructor(code: EndlessAnswer["code"]) {
    super("the answer has no end");
    this.code = code;
  }
}

// Answers with status 1xx before the final one.
const INTERIM_MAX = 10;
// What a call may send beside its body: headers, interim answers, sizes and extensions of chunks, records of TLS.
const AROUND_BODY_BYTES_MAX = 64 * 1024;

interface AgentOptions {
  readonly connect: buildConnector.connector;
  readonly connections: number;
  /** 0: a connection is used once. */
  readonly pipelining: 0 | 1;
  readonly answerMs: number;
}

/**
 * Returns HTTP/1.1 connections whose bytes are counted: parsing what is no body takes the time of all tenants too, and is in
 * no bounds of a body.
 */
export function boundedAgent({ connect, connections, pipelining, answerMs }: AgentOptions): Agent {
  const { Agent, Pool } = undici();
  return new Agent({
    connect,
    connections,
    pipelining,
    headersTimeout: answerMs,
    bodyTimeout: answerMs,
    allowH2: false,
    factory: (origin, options) => new Pool(origin, Object.assign({}, options, { factory: boundedClient })),
  });
}

/**
 * Returns an answer of any status. Throws EndlessAnswer for one without end, and what the connection throws if there is
 * none. It is read as it comes, and no further than its bounds.
 */
export async function boundedRequest(
  url: URL,
  { bounds, refusalBounds = bounds, signal, ...options }: BoundedRequest,
): Promise<BoundedAnswer> {
  const endless = new AbortController();
  let interimCount = 0;
  const { statusCode, headers, body } = await undici().request(url, {
    ...options,
    body: options.body ?? null,
    signal: AbortSignal.any([signal, endless.signal]),
    opaque: AROUND_BODY_BYTES_MAX + Math.max(bounds.bytes, refusalBounds.bytes),
    onInfo: () => {
      if (++interimCount > INTERIM_MAX) endless.abort(new EndlessAnswer("too_many_interim_answers"));
    },
  });
  const isSuccess = statusCode >= 200 && statusCode <= 299;
  return { status: statusCode, headers, text: await boundedText(body, isSuccess ? bounds : refusalBounds) };
}

/** One connection at a time, with one call at a time on it. */
function boundedClient(origin: URL, options: object): Client {
  const bytes = new CallBytes();
  const { connect } = options as { connect: buildConnector.connector };
  const client = new (undici().Client)(origin, {
    ...options,
    connect: (given, callback) => {
      connect(given, (...result) => {
        const [, socket] = result;
        if (socket) bytes.count(socket);
        callback(...result);
      });
    },
  });
  const dispatch = client.dispatch.bind(client);
  client.dispatch = (call: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean => {
    const { opaque } = call as Dispatcher.RequestOptions<number>;
    bytes.start(opaque ?? AROUND_BODY_BYTES_MAX);
    return dispatch(call, handler);
  };
  return client;
}

/** The bytes that the current call's connection has received for it. */
class CallBytes {
  #socket: Socket | undefined;
  #before = 0;
  #max = 0;

  /** Begins a call, which may receive so many bytes. */
  start(max: number): void {
    this.#max = max;
    this.#before = this.#socket?.bytesRead ?? 0;
  }

  /** Counts the bytes of a new connection from now on, before they are parsed. */
  count(socket: Socket): void {
    this.#socket = socket;
    this.#before = socket.bytesRead;
    socket.on("readable", () => {
      if (socket !== this.#socket || socket.bytesRead - this.#before <= this.#max) return;
      socket.destroy(new EndlessAnswer(ANSWER_TOO_LARGE));
    });
  }
}

type Socket = NonNullable<Parameters<buildConnector.Callback>[1]>;

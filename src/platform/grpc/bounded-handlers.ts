import type { DescMethod } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import {
  Code,
  ConnectError,
  createContextValues,
  type ConnectRouter,
  type ContextValues,
} from "@connectrpc/connect";
import {
  encodeEnvelope,
  pipe,
  transformSplitEnvelope,
  type EnvelopedMessage,
  type UniversalHandler,
  type UniversalServerRequest,
} from "@connectrpc/connect/protocol";
import { invalidRequest, toConnectError } from "../errors.ts";
import { callAnswer } from "./call-answer.ts";
import { callerKind, tokenHolder } from "./call-holder.ts";
import { Inbox } from "./inbox.ts";
import { boundsOf, checkReadable, countElements, isLarge, tooLarge } from "./message-bounds.ts";
import { withPlainMessage } from "./status-message.ts";
import { Turns } from "./turns.ts";

const HEAD_BYTES = 5;
const ENVELOPED = /^application\/(grpc|connect\+)/i;
const JSON_TYPE = /json\b/i;
// Limits of a client stream.
const MESSAGES_MAX = 1000;
const NEXT_MESSAGE_MS = 60_000;

type Bytes = AsyncIterable<Uint8Array>;

/**
 * Applies each RPC's bounds and a time limit to its requests. No body is read before the RPC's gate admits the call.
 */
export function boundHandlers(router: ConnectRouter): void {
  const shared = { inbox: new Inbox(), turns: new Turns() };
  router.handlers.splice(0, Infinity, ...router.handlers.map((handler) => bounded(handler, shared)));
}

const NAME = /^[\w-]{1,20}$/;

/** The state that all calls of a server share. */
interface Shared {
  readonly inbox: Inbox;
  readonly turns: Turns;
}

function bounded(handler: UniversalHandler, shared: Shared): UniversalHandler {
  const { method } = handler;
  const isSequence = method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming";
  const handle = async (given: UniversalServerRequest) => {
    const isQuery = given.method === "GET" && handler.allowedMethods.includes("GET");
    const request = isQuery ? asPost(given) : given;
    const type = request.header.get("content-type") ?? "";
    const [isJson, isEnveloped] = [JSON_TYPE.test(type), ENVELOPED.test(type)];
    const contextValues = request.contextValues ?? createContextValues();
    const body = request.body as Bytes;
    const checked = isSequence
      ? sequence(method, body, isJson)
      : whole(new Arrival(method, shared, contextValues), method, body, isJson, isEnveloped);
    const response = await handler({ ...request, contextValues, body: checked });
    if (!response.body) return response;
    const answer = contextValues.get(callAnswer);
    const sent = answer ? answer.send(contextValues, response.body) : response.body;
    return { ...response, body: withPlainMessage(sent, response.trailer) };
  };
  return Object.assign(handle, { ...handler });
}

/** Returns a GET call, whose message is in its URL, as the equivalent POST call. */
function asPost(request: UniversalServerRequest): UniversalServerRequest {
  const { searchParams: query } = new URL(request.url);
  const header = new Headers(request.header);
  header.delete("content-length");
  // A header cannot contain every text of a URL: an unknown word is replaced, so that it is refused as unsupported.
  header.set("content-type", `application/${wordIn(query, "encoding", /^(json|proto)$/)}`);
  header.set("content-encoding", query.has("compression") ? wordIn(query, "compression", NAME) : "identity");
  const message = query.get("message") ?? "";
  const body = async function* (): Bytes {
    yield query.get("base64") === "1" ? fromBase64(message) : Buffer.from(message);
  };
  return { ...request, method: "POST", header, body: body() };
}

function wordIn(query: URLSearchParams, name: string, words: RegExp): string {
  const word = query.get(name) ?? "";
  return words.test(word) ? word : "x-unsupported";
}

function fromBase64(text: string): Uint8Array {
  try {
    return base64Decode(text);
  } catch {
    throw toConnectError(invalidRequest(null, "The message is not in base64."));
  }
}

/** Yields the single message of a request after all of it has arrived. */
async function* whole(
  arrival: Arrival,
  method: DescMethod,
  body: Bytes,
  isJson: boolean,
  isEnveloped: boolean,
): Bytes {
  const bytes = await arrival.of(body, boundsOf(method).bytes, isEnveloped);
  const message = isEnveloped ? messageIn(bytes) : bytes;
  await arrival.inTurn(message, isJson);
  checkReadable(method, message, isJson);
  yield bytes;
}

/** Returns the bytes after the head of the single message. The protocol's handler refuses incomplete bytes. */
function messageIn(bytes: Uint8Array): Uint8Array {
  if (bytes.length < HEAD_BYTES) return new Uint8Array();
  if (bytes[0] !== 0) throw badFlags();
  const end = HEAD_BYTES + lengthIn(bytes);
  if (end < bytes.length) {
    throw new ConnectError("The request has more than one message.", Code.Unimplemented);
  }
  return end > bytes.length ? new Uint8Array() : bytes.subarray(HEAD_BYTES);
}

function lengthIn(head: Uint8Array): number {
  return new DataView(head.buffer, head.byteOffset).getUint32(1);
}

function badFlags(): ConnectError {
  return toConnectError(invalidRequest(null, "A message is compressed or has flags that mean nothing here."));
}

async function* sequence(method: DescMethod, body: Bytes, isJson: boolean): Bytes {
  const split: AsyncIterable<EnvelopedMessage> = pipe(body, transformSplitEnvelope(boundsOf(method).bytes));
  const messages = split[Symbol.asyncIterator]();
  for (let count = 0; ; count++) {
    const { done, value } = await inTime(messages.next(), NEXT_MESSAGE_MS);
    if (done === true) return;
    if (count >= MESSAGES_MAX) {
      throw new ConnectError(`The request has more than ${MESSAGES_MAX} messages.`, Code.ResourceExhausted);
    }
    if (value.flags !== 0) throw badFlags();
    countElements(method, value.data, isJson);
    checkReadable(method, value.data, isJson);
    yield encodeEnvelope(value.flags, value.data);
  }
}

/** Collects the bytes of one request. */
class Arrival {
  readonly #method: DescMethod;
  readonly #inbox: Inbox;
  readonly #turns: Turns;
  readonly #values: ContextValues;

  constructor(method: DescMethod, { inbox, turns }: Shared, values: ContextValues) {
    this.#method = method;
    this.#inbox = inbox;
    this.#turns = turns;
    this.#values = values;
  }

  async of(body: Bytes, bytesMax: number, isEnveloped: boolean): Promise<Uint8Array> {
    const sender = { kind: callerKind(this.#values), owner: tokenHolder(this.#values) ?? "" };
    const most = isEnveloped ? bytesMax + HEAD_BYTES : bytesMax;
    let all: Uint8Array = new Uint8Array();
    let held = 0;
    let isOver = false;
    const gather = async (): Promise<void> => {
      for await (const chunk of body) {
        // The call was refused meanwhile: what is taken now would never be freed.
        if (isOver) return;
        if (held + chunk.length > most) throw tooLarge(bytesMax);
        this.#inbox.take(chunk.length, sender);
        all = held === 0 ? chunk : joined(all, held, chunk, most);
        held += chunk.length;
        // A message that is too long by its length field is refused before it arrives.
        if (isEnveloped && held >= HEAD_BYTES && lengthIn(all) > bytesMax) throw tooLarge(bytesMax);
      }
    };
    try {
      await inTime(gather(), boundsOf(this.#method).arrivalMs);
      return all.subarray(0, held);
    } finally {
      isOver = true;
      this.#inbox.free(held, sender);
    }
  }

  /**
   * Counts the message's elements; a large one waits for its turn. A gateway's messages do not wait, because merchants
   * send them.
   */
  async inTurn(message: Uint8Array, isJson: boolean): Promise<void> {
    const holder = tokenHolder(this.#values);
    const waits = holder !== undefined && isLarge(message.length);
    if (waits) this.#turns.checkRoom(holder);
    const elements = countElements(this.#method, message, isJson);
    if (waits && isLarge(elements)) await this.#turns.take(holder, elements);
  }
}

/** Appends a chunk to a buffer. It copies, so that a chunk of one byte keeps only that byte in memory. */
function joined(all: Uint8Array, held: number, chunk: Uint8Array, most: number): Uint8Array {
  const length = held + chunk.length;
  let room = all;
  if (length > all.length) {
    room = Buffer.allocUnsafeSlow(Math.min(Math.max(length, all.length * 2), most));
    room.set(all.subarray(0, held));
  }
  room.set(chunk, held);
  return room;
}

/** Error: resource_exhausted if the work takes longer. */
async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new ConnectError(`The request did not arrive within ${ms / 1000} s.`, Code.ResourceExhausted));
  }, ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

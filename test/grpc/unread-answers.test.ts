import { create, toBinary, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { once } from "node:events";
import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from "node:http2";
import { connect as connectSocket } from "node:net";
import { expect, test } from "vitest";
import { Health } from "#schemas/grpc/health/v1/health_pb.js";
import { ServerReflection } from "#schemas/grpc/reflection/v1/reflection_pb.js";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { MediaService } from "../../gen/paylink/media/v1/media_pb.ts";
import { UnreadAnswers } from "../../src/platform/grpc/unread-answers.ts";
import { openCorePorts } from "../support/core-server.ts";
import { forFile } from "../support/for-file.ts";
import { failureOf, GrpcClient } from "../support/grpc-client.ts";
import { pictureFolder, Uploader } from "../support/media.ts";
import { grainy } from "../support/pictures.ts";
import { startService } from "../support/service.ts";
import { answerOf, begin, envelope } from "./raw-calls.ts";

const MIB = 1024 * 1024;
const TIMEOUT = { timeout: 20_000 };
const { getMedia } = MediaService.method;
const { serverReflectionInfo } = ServerReflection.method;

const { mediaStorage, remove } = await pictureFolder();
await forFile(Promise.resolve({ close: remove }));
const service = await forFile(startService("direct", { mediaStorage }));
const ports = await forFile(openCorePorts(service.core));
const impatient = await forFile(
  openCorePorts({ ...service.core, answers: new UnreadAnswers({ stallMs: 1500 }) }),
);
const tenant = await service.createTenant();
const { id, byteCount } = await new Uploader(service, tenant).upload(await grainy());
const grpc = new GrpcClient(ports.http2);
await forFile(Promise.resolve({ close: async () => await Promise.resolve(grpc.close()) }));

/** The headers of a named token that may do next to nothing. */
async function aToken(): Promise<Record<string, string>> {
  const identity = createClient(IdentityService, service.core.transport);
  const asked = { name: "reader", permissions: ["media:read"] };
  const { token } = await identity.createCoreToken(asked, service.internal);
  return { authorization: `Bearer ${token}`, "paylink-tenant": tenant.id, "paylink-mode": "test" };
}

/** A connection whose streams take no byte of an answer's body. */
function closedWindow(address: string, localAddress = "127.0.0.1"): ClientHttp2Session {
  const [host = "", port] = address.split(":");
  const session = connect(`http://${address}`, {
    settings: { initialWindowSize: 0 },
    createConnection: () => connectSocket({ host, port: Number(port), localAddress }),
  });
  return session.on("error", () => undefined);
}

const picture = messageOf(getMedia.input, { id });
const check = messageOf(Health.method.check.input, {});
const question = messageOf(serverReflectionInfo.input, {
  messageRequest: { case: "fileContainingSymbol", value: MediaService.typeName },
});

function messageOf<I extends DescMessage>(input: I, message: MessageInitShape<I>): Buffer {
  return envelope(toBinary(input, create(input, message)));
}

type Headers = Readonly<Record<string, string>>;
type Call = readonly [method: Parameters<typeof begin>[1], message: Buffer];

/** Makes calls whose answers wait at a closed window. */
async function held(on: ClientHttp2Session, [method, message]: Call, count: number, headers: Headers = {}) {
  const streams = Array.from({ length: count }, () => {
    const stream = begin(on, method, { ...headers, "content-type": "application/grpc", te: "trailers" });
    stream.end(message);
    return stream;
  });
  await Promise.all(streams.map(async (stream) => await once(stream, "response")));
  return streams;
}

/** Opens the window and returns how many of the streams have an answer behind it, and are not refused. */
async function answeredOf(on: ClientHttp2Session, streams: readonly ClientHttp2Stream[]): Promise<number> {
  const answers = streams.map(async (stream) => await answerOf(stream));
  on.settings({ initialWindowSize: 2 ** 24 });
  const statuses = (await Promise.all(answers)).map((answer) => answer.grpc);
  // A client with too much unread has only two seconds for its refusals.
  for (const status of statuses) expect(["0", "8", undefined]).toContain(status);
  return statuses.filter((status) => status === "0").length;
}

test("large unread answers of a token are bounded, others read theirs, and leaving makes room", async () => {
  const [greedy, other] = [await aToken(), await aToken()];
  const session = closedWindow(ports.http2);
  const streams = await held(session, [getMedia, picture], 40, greedy);
  const { content } = await grpc.unary(getMedia, { id }, other);
  expect(content).toHaveLength(byteCount);
  // It would be NOT_FOUND if the call did its work.
  const refusal = await failureOf(grpc.unary(getMedia, { id: "med_none" }, greedy));
  expect(refusal).toMatchObject({ status: "RESOURCE_EXHAUSTED" });
  const heldBytes = (await answeredOf(session, streams)) * byteCount;
  expect(heldBytes).toBeGreaterThan(20 * MIB);
  expect(heldBytes).toBeLessThanOrEqual(32 * MIB);
  expect(await grpc.unary(getMedia, { id }, greedy)).toMatchObject({ content: { length: byteCount } });
  const again = closedWindow(ports.http2);
  await held(again, [getMedia, picture], 40, greedy);
  again.destroy();
  const readAgain = async () => await grpc.unary(getMedia, { id }, greedy).catch(() => undefined);
  await expect.poll(readAgain, TIMEOUT).toMatchObject({ content: { length: byteCount } });
  session.close();
});

test("small unread answers of a network without a token are bounded, and other networks are served", async () => {
  const sessions = [closedWindow(ports.http2), closedWindow(ports.http2)];
  const streams = await Promise.all(
    sessions.map(async (on) => await held(on, [Health.method.check, check], 90)),
  );
  const distant = closedWindow(ports.http2, "127.0.1.1");
  expect(await answeredOf(distant, await held(distant, [Health.method.check, check], 1))).toBe(1);
  const counts = sessions.map(async (on, index) => await answeredOf(on, streams[index] ?? []));
  const count = (await Promise.all(counts)).reduce((sum, each) => sum + each, 0);
  expect(count).toBeGreaterThan(50);
  expect(count).toBeLessThan(130);
  expect(await grpc.unary(Health.method.check, {})).toMatchObject({ status: 1 });
  for (const session of [...sessions, distant]) session.close();
});

test("an answer of which nothing is taken is cut off after its time, in spite of PINGs, and its connection stays", async () => {
  const session = closedWindow(impatient.http2);
  const pings = setInterval(() => session.destroyed || session.ping(() => undefined), 50);
  const startedAt = performance.now();
  const [stream] = await held(session, [getMedia, picture], 1, await aToken());
  await once(stream as ClientHttp2Stream, "close");
  expect(stream?.rstCode).toBe(constants.NGHTTP2_CANCEL);
  expect(performance.now() - startedAt).toBeGreaterThan(1400);
  clearInterval(pings);
  expect(session.destroyed).toBe(false);
  session.close();
});

test("a token has a few reflection streams at once, and those that are not read end", async () => {
  const [token, other] = [await aToken(), await aToken()];
  const [session, reading] = [closedWindow(impatient.http2), connect(`http://${impatient.http2}`)];
  const ask = async (headers: Headers) =>
    (await answerOf((await held(reading, [serverReflectionInfo, question], 1, headers))[0] as never)).grpc;
  await held(session, [serverReflectionInfo, question], 20, token);
  expect([await ask(token), await ask(other)]).toEqual(["8", "0"]);
  await expect.poll(async () => await ask(token), TIMEOUT).toBe("0");
  const patient = closedWindow(ports.http2);
  expect(await answeredOf(patient, await held(patient, [serverReflectionInfo, question], 20, token))).toBe(8);
  for (const each of [session, reading, patient]) each.close();
});

test("an answer is compressed with gzip, and not with brotli, which takes long", async () => {
  const encodingFor = async (accepted: string): Promise<string | null> => {
    const response = await fetch(`http://${ports.http1}/${MediaService.typeName}/GetMedia`, {
      method: "POST",
      headers: { ...(await aToken()), "content-type": "application/json", "accept-encoding": accepted },
      body: JSON.stringify({ id }),
    });
    expect(((await response.json()) as { content: string }).content.length).toBeGreaterThan(byteCount);
    return response.headers.get("content-encoding");
  };
  expect(await encodingFor("gzip, br")).toBe("gzip");
  expect(await encodingFor("br")).toBeNull();
});

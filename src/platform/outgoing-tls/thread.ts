import { isIP, type Socket } from "node:net";
import { connect as secure, type SecureContext } from "node:tls";
import { parentPort, workerData } from "node:worker_threads";
import { ClientContexts } from "./client-contexts.ts";
import { CostlyOwners } from "../costly-owners.ts";
import { FairTurns } from "./fair-turns.ts";
import { connectToFirst } from "./first-connection.ts";
import { Handshakes } from "./handshakes.ts";
import type { CertificateAnswer, NameAnswer, ThreadNotice, ThreadRequest } from "./messages.ts";
import { MeteredStream } from "./metered-stream.ts";
import { Names } from "./names.ts";
import { PortStream } from "./port-stream.ts";

// The thread in which connections to servers outside do their TLS: a server chooses the numbers that a handshake
// computes with, and what takes a second here holds up no request. Owners that make it take long go on in another one.

type ConnectRequest = Extract<ThreadRequest, { kind: "connect" }>;

const contexts = new ClientContexts();
const handshakes = new Handshakes();
const { isForCostly } = workerData as { readonly isForCostly: boolean };
const slowOnce = new CostlyOwners();
const turns = new FairTurns((owner) => {
  // Once may be this thread's own doing, such as its collection of garbage.
  if (!slowOnce.has(owner)) return slowOnce.note(owner);
  say({ kind: "costly", owner });
  // The others of this owner would take as long.
  if (!isForCostly) handshakes.fail(owner);
});

const names = new Names((owner) => {
  say({ kind: "costly", owner });
  if (!isForCostly) names.fail(owner);
});

function say(notice: ThreadNotice): void {
  parentPort?.postMessage(notice, []);
}

parentPort?.on("message", (request: ThreadRequest) => {
  if (request.kind === "connect") open(request);
  else if (request.kind === "certificate") read(request);
  else if (request.kind === "name") void resolve(request);
  else contexts.delete(request.id);
});

// A fault of one connection would end the thread, and with it those of all tenants.
process.on("uncaughtException", (fault) => say({ kind: "fault", fault }));

function read({ port, id, identity, ca }: Extract<ThreadRequest, { kind: "certificate" }>): void {
  let endsMs: number | undefined;
  try {
    endsMs = contexts.add(id, identity, ca);
  } catch {
    // The answer says so.
  }
  port.postMessage({ endsMs } satisfies CertificateAnswer);
  port.close();
}

async function resolve({
  port,
  name,
  owner,
  servers,
}: Extract<ThreadRequest, { kind: "name" }>): Promise<void> {
  port.postMessage(await answerOf(name, owner, servers), []);
  port.close();
}

async function answerOf(name: string, owner: string, servers?: readonly string[]): Promise<NameAnswer> {
  try {
    return { addresses: await names.addressesOf(name, owner, servers) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { failure: { code, message } };
  }
}

/** Connects to one of the addresses, and carries the bytes of its TLS connection to the port and back. */
function open(request: ConnectRequest): void {
  const plain = new PortStream(request.port, { allowHalfOpen: true });
  const secureContext = contexts.get(request.certificateId);
  if (!secureContext) return plain.fail(new Error("the client certificate is not known"));
  plain.on("error", () => undefined);
  handshakes.add(request.owner, plain);
  const end = connectToFirst(request.addresses, request.hostPort, (failure, socket) => {
    if (socket) carry(request, { plain, socket, secureContext });
    else plain.fail(failure ?? new Error("there is no connection"));
  });
  plain.on("close", end);
}

interface Ends {
  readonly plain: PortStream;
  readonly socket: Socket;
  readonly secureContext: SecureContext;
}

function carry({ host, owner, protocols }: ConnectRequest, { plain, socket, secureContext }: Ends): void {
  const metered = new MeteredStream(socket, turns, owner);
  const tls = secure({
    socket: metered,
    secureContext,
    host,
    servername: isIP(host) === 0 ? host : "",
    ...(protocols.length > 0 ? { ALPNProtocols: [...protocols] } : {}),
    rejectUnauthorized: true,
  });
  for (const stream of [socket, metered, tls]) {
    stream.on("error", (error) => {
      plain.fail(error);
      metered.destroy();
      tls.destroy();
    });
  }
  tls.on("secureConnect", () => {
    metered.secured();
    handshakes.end(owner, plain);
    tls.on("data", (chunk) => metered.decrypted(chunk.length));
    plain.open();
    plain.pipe(tls).pipe(plain);
  });
  tls.on("close", () => {
    metered.destroy();
    if (!plain.writableEnded) plain.fail(new Error("the connection was closed"));
  });
  plain.on("close", () => {
    tls.destroy();
    metered.destroy();
  });
}

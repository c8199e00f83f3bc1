import { connect } from "node:net";

/** One HTTP answer as it came over the wire. Header names in lower case. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * Sends bytes to a server as they are and reads what comes until the server closes the connection.
 * Each part but the first is sent when something has come back for the one before.
 */
export async function sendRaw(port: number, ...parts: (string | Uint8Array)[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const received: Buffer[] = [];
  const [first = "", ...later] = parts;
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("data", (chunk: Buffer) => {
    received.push(chunk);
    const next = later.shift();
    if (next !== undefined) socket.write(next);
  });
  socket.on("error", (error: Error & { code?: string }) => {
    // A server that refuses early may close before it has read all: what it sent is what counts.
    if (error.code !== "EPIPE" && error.code !== "ECONNRESET") reject(error);
  });
  socket.on("end", () => socket.end());
  socket.on("close", () => resolve(Buffer.concat(received).toString("latin1")));
  socket.write(first);
  return await promise;
}

/** The answers in what a server sent, one after the other. Throws when it is not HTTP/1.1 with Content-Length. */
export function readAnswers(received: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = received; rest !== "";) {
    const end = rest.indexOf("\r\n\r\n");
    const [first = "", ...lines] = rest.slice(0, end).split("\r\n");
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1];
    if (end < 0 || status === undefined) throw new Error(`not an HTTP answer: ${JSON.stringify(rest)}`);
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const length = status === "100" ? 0 : Number(headers["content-length"]);
    if (!Number.isSafeInteger(length)) throw new Error(`no Content-Length: ${JSON.stringify(rest)}`);
    answers.push({ status: Number(status), headers, text: rest.slice(end + 4, end + 4 + length) });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

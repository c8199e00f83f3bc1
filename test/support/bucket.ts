import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SignatureV4 } from "@smithy/signature-v4";

const SECRET = { accessKeyId: "AKIDTEST", secretAccessKey: "the-secret-of-the-bucket" };
const REGION = "sa-east-1";

/** Answers in place of the bucket; false: it did not. */
type Interference = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A bucket with as much of S3 as pictures need: a real HTTP server that takes only what is signed for it. */
export interface Bucket {
  readonly config: {
    readonly url: string;
    readonly region: string;
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
  };
  readonly objects: Map<string, Buffer>;
  /** Every request, as it was answered. */
  readonly answered: string[];
  interfere(interference: Interference): void;
  close(): Promise<void>;
}

export async function startBucket(): Promise<Bucket> {
  const objects = new Map<string, Buffer>();
  const answered: string[] = [];
  let interference: Interference = () => false;
  const server = createServer((request, response) => {
    response.on("finish", () => answered.push(`${request.method} ${response.statusCode}`));
    if (interference(request, response)) return;
    void serve(request, response, objects);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/pictures`;
  return {
    config: { url, region: REGION, ...SECRET },
    objects,
    answered,
    interfere: (next) => {
      interference = next;
    },
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  objects: Map<string, Buffer>,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const path = request.url ?? "";
  if (!(await isSigned(request, body))) {
    response
      .writeHead(403)
      .end("<Error><Code>SignatureDoesNotMatch</Code><Canary>store-canary</Canary></Error>");
    return;
  }
  if (request.method === "PUT") {
    objects.set(path, body);
    response.writeHead(200).end();
    return;
  }
  const object = objects.get(path);
  response.writeHead(object ? 200 : 404).end(object ?? "<Error><Code>NoSuchKey</Code></Error>");
}

/** Signs the request once more, as the independent library does, and compares. */
async function isSigned({ headers, method = "", url = "" }: IncomingMessage, body: Buffer): Promise<boolean> {
  const { authorization = "" } = headers;
  const [, list = ""] = /SignedHeaders=([^,]+),/.exec(authorization) ?? [];
  const names = list.split(";");
  if (!names.includes("host") || !names.includes("x-amz-date")) return false;
  const digest = createHash("sha256").update(body).digest("hex");
  if (method === "PUT" && headers["x-amz-content-sha256"] !== digest) return false;
  const date = String(headers["x-amz-date"]);
  const signer = new SignatureV4({
    service: "s3",
    region: REGION,
    credentials: SECRET,
    uriEscapePath: false,
    applyChecksum: false,
    sha256: Sha256,
  });
  const signed = await signer.sign(
    {
      method,
      protocol: "http:",
      hostname: "127.0.0.1",
      path: url,
      query: {},
      headers: Object.fromEntries(
        names.filter((name) => name !== "x-amz-date").map((name) => [name, String(headers[name])]),
      ),
      body,
    },
    {
      signingDate: new Date(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z")),
    },
  );
  return partsOf(signed.headers["authorization"]) === partsOf(authorization);
}

/** Whose signature it is and the signature itself, however the header is spaced. */
function partsOf(authorization = ""): string {
  const [, credential, signature] =
    /Credential=([^,]+),.*Signature=([0-9a-f]{64})$/.exec(authorization) ?? [];
  return `${credential} ${signature}`;
}

/** As the library asks for it: a hash, keyed when there is a key. */
class Sha256 {
  readonly #hash;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    if (secret === undefined) this.#hash = createHash("sha256");
    else this.#hash = createHmac("sha256", typeof secret === "string" ? secret : bytesOf(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(typeof data === "string" ? data : bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return await Promise.resolve(this.#hash.digest());
  }
}

function bytesOf(data: ArrayBuffer | ArrayBufferView): Buffer {
  return ArrayBuffer.isView(data)
    ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    : Buffer.from(data);
}

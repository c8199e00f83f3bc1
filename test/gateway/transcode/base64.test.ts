import { isMessage } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { readJson } from "../../../gateway/transcode/json-reader.ts";
import { compileMessageReader } from "../../../gateway/transcode/message-reader.ts";
import { UploadMediaRequestSchema } from "../../../gen/paylink/media/v1/media_pb.ts";
import { noise } from "../../support/pictures.ts";

const reader = compileMessageReader(UploadMediaRequestSchema, new Set());
const bodyOf = (content: string): Buffer => Buffer.from(JSON.stringify({ content }));

function contentOf(content: string): string {
  const message = reader(readJson(bodyOf(content)));
  if (!isMessage(message, UploadMediaRequestSchema)) throw new Error("another message");
  return Buffer.from(message.content).toString("hex");
}

test.each([
  ["", ""],
  ["AAEC", "000102"],
  ["+/8=", "fbff"],
  ["/w==", "ff"],
  ["/x==", "ff"],
  ["//8=", "ffff"],
])("%j is read as its bytes", (content, bytes) => {
  expect(contentOf(content)).toBe(bytes);
});

test.each([
  "A",
  "AA",
  "AAA",
  "A===",
  "====",
  "A=AA",
  "AA=A",
  "-_8=",
  "A A=",
  "AA\n=",
  " AAA",
  "AAA ",
  "AAEC\n\n\n\n",
  "AAÉC",
])("%j is no base64", (content) => {
  const refused = expect.objectContaining({ code: "invalid_request", param: "content" });
  expect(() => contentOf(content)).toThrow(refused);
});

/** The least time that the work takes, in milliseconds: the clock of processors counts in steps that are longer. */
function leastMs(work: () => unknown): number {
  const times = Array.from({ length: 9 }, () => {
    const before = performance.now();
    work();
    return performance.now() - before;
  });
  return Math.min(...times);
}

test("the base64 of a picture takes less than ten times the JSON around it", async () => {
  const body = bodyOf((await noise()).toString("base64"));
  const ofJson = leastMs(() => readJson(body));
  const json = readJson(body);
  expect(leastMs(() => reader(json))).toBeLessThan(10 * ofJson);
});

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

/** The least that the work costs the process, in milliseconds of a processor. */
function leastCpuMs(work: () => unknown): number {
  const costs = Array.from({ length: 9 }, () => {
    const before = process.cpuUsage();
    work();
    return process.cpuUsage(before).user / 1000;
  });
  return Math.min(...costs);
}

test("the base64 of a picture costs less than ten times the JSON around it", async () => {
  const body = bodyOf((await noise()).toString("base64"));
  const ofJson = leastCpuMs(() => readJson(body));
  const json = readJson(body);
  // A collector's threads count too, so that the two compare by their order of size alone.
  expect(leastCpuMs(() => reader(json))).toBeLessThan(10 * ofJson);
});

import { describe, expect, test } from "vitest";
import type { Answer } from "../support/api.ts";
import { Asked, OPERATIONS, VALID, withMember } from "../support/asked.ts";
import { forFile } from "../support/for-file.ts";

const on = await forFile(Asked.start());

describe("metadata", () => {
  test("keys that JavaScript's objects have are keys like others", async () => {
    const text =
      '{"constructor":{"prototype":{"a":1}},"toString":"x","toJSON":1,"hasOwnProperty":null,"valueOf":[],"prototype":{},"then":1}';
    for (const operation of ["link", "intent"] as const) {
      const answer = await on.post(operation, withMember(operation, `"metadata":${text}`));
      expect(answer.status).toBe(201);
      expect(answer.text).toContain(`"metadata":${text}`);
    }
    expect(Object.hasOwn(Object.prototype, "a")).toBe(false);
  });

  const refused: [string, string][] = [
    ["__proto__", '{"__proto__":1}'],
    ["__proto__ further in", '{"a":[{"b":{"__proto__":{"c":1}}}]}'],
    ["__proto__ spelled with escapes", '{"\\u005f_proto__":1}'],
    ["NUL in a key", '{"a\\u0000":1}'],
    ["NUL in a value", '{"a":{"b":["\\u0000"]}}'],
    ["a lone surrogate in a key", '{"\\ud800":1}'],
    ["a lone surrogate in a value", '{"a":"\\udc00\\ud800"}'],
    ["2^53+1", '{"a":9007199254740993}'],
    ["2^53+1 further in", '{"a":{"b":[9007199254740993]}}'],
    ["-2^53-1", '{"a":-9007199254740993}'],
    ["an endless number", '{"a":1e400}'],
    ["a duplicate key", '{"a":1,"a":1}'],
    ["a duplicate key further in", '{"a":{"b":[{"c":1,"c":2}]}}'],
    ["a duplicate key spelled with escapes", '{"a":1,"\\u0061":2}'],
    ["nesting of 33 with the body's own", `{"a":${"[".repeat(31)}${"]".repeat(31)}}`],
  ];
  const malformed: [string, string][] = [
    ["a control character", '{"a":"\t"}'],
    ["NaN", '{"a":NaN}'],
    ["a comment", '{"a":1/**/}'],
    ["a trailing comma", '{"a":1,}'],
    ["a leading zero", '{"a":01}'],
    ["a bare minus", '{"a":-}'],
    ["an unknown escape", '{"a":"\\x"}'],
    ["a short escape", '{"a":"\\u12"}'],
    ["single quotes", "{'a':1}"],
  ];
  test.each(refused)("with %s: 400 invalid_request, param metadata", async (_, text) => {
    const body = withMember("link", `"metadata":${text}`);
    await on.expectRefused(async () => await on.post("link", body), { param: "metadata" });
  });

  test.each(malformed)("that is no JSON, with %s: 400 invalid_request, param null", async (_, text) => {
    const body = withMember("link", `"metadata":${text}`);
    await on.expectRefused(async () => await on.post("link", body), { param: null });
  });

  test("nesting of 32 with the body's own is accepted and returned", async () => {
    const text = `{"a":${"[".repeat(30)}${"]".repeat(30)}}`;
    const answer = await on.post("link", withMember("link", `"metadata":${text}`));
    expect(answer.status).toBe(201);
    expect(answer.text).toContain(`"metadata":${text}`);
  });

  test("2^53-1 and decimals are accepted and returned", async () => {
    const text = '{"a":9007199254740991,"b":-9007199254740991,"c":0.1,"d":1e-7}';
    const answer = await on.post("link", withMember("link", `"metadata":${text}`));
    expect(answer.status).toBe(201);
    expect(answer.text).toContain(`"metadata":${text}`);
  });

  test.each(["link", "accept", "intent"] as const)(
    "A key with that prefix sent by the integrator returns 400 reserved_metadata_key with param set to that key: %s",
    async (operation) => {
      for (const key of ["svc_", "svc_order"]) {
        const body = { ...VALID[operation], metadata: { a: 1, [key]: 1 } };
        await on.expectRefused(async () => await on.post(operation, body), {
          code: "reserved_metadata_key",
          param: key,
        });
      }
    },
  );
});

describe("bodies that are not one JSON object of the contract: 400 invalid_request", () => {
  const bodies: [string, string | Buffer, string | null][] = [
    ["nothing", "", null],
    ["blanks", " \n", null],
    ["null", "null", null],
    ["an array", "[]", null],
    ["an array of a valid body", JSON.stringify([VALID.link]), null],
    ["a string", '"a"', null],
    ["a number", "1", null],
    ["true", "true", null],
    ["a truncated object", '{"amount":15990,"currency":"BRL"', null],
    ["a truncated string", '{"amount":15990,"currency":"BR', null],
    ["a truncated word", '{"campaign":tru', null],
    ["an open brace", "{", null],
    ["two values", `${JSON.stringify(VALID.link)}{}`, null],
    ["a trailing NUL", `${JSON.stringify(VALID.link)}\0`, null],
    ["a duplicate key", '{"amount":15990,"amount":15990,"currency":"BRL"}', "amount"],
    ["a NUL in a string", '{"amount":1,"currency":"BRL","reference":"a\\u0000"}', "reference"],
    ["a lone surrogate", '{"amount":1,"currency":"BRL","reference":"\\ud83d"}', "reference"],
    ["a byte order mark", Buffer.from(`\uFEFF${JSON.stringify(VALID.link)}`), null],
    ["UTF-16", Buffer.from(JSON.stringify(VALID.link), "utf16le"), null],
    ["invalid UTF-8", Buffer.from('{"reference":"\xff"}', "latin1"), null],
    ["an overlong encoding", Buffer.from('{"reference":"\xc0\xaf"}', "latin1"), null],
    ["a surrogate in UTF-8", Buffer.from('{"reference":"\xed\xa0\x80"}', "latin1"), null],
    ["a truncated character", Buffer.from('{"reference":"\xe2\x82', "latin1"), null],
    ["nesting without end", "[".repeat(60_000), null],
  ];
  test.each(bodies)("%s", async (_, body, param) => {
    for (const operation of OPERATIONS) {
      const ask = async (): Promise<Answer> => await on.postBytes(on.urls[operation], Buffer.from(body));
      await on.expectRefused(ask, { param });
    }
  });
});

const sized = (size: number): Buffer => Buffer.from(JSON.stringify(VALID.link).padEnd(size));

describe("media type and size", () => {
  const valid = Buffer.from(JSON.stringify(VALID.link));
  const types = [
    undefined,
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/xml",
    "application/jsonp",
    "text/json",
    "application/json, text/plain",
  ];
  test.each(types)("415 for the content type %s", async (type) => {
    await on.expectRefused(async () => await on.postBytes(on.urls.link, valid, { "content-type": type }), {
      status: 415,
      code: "unsupported_media_type",
    });
  });

  test.each([
    [{ "content-type": "application/json; charset=iso-8859-1" }, "iso-8859-1"],
    [{ "content-type": 'application/json; profile=x; CharSet="UTF-16"' }, "UTF-16"],
    [{ "content-encoding": "gzip" }, "gzip"],
  ])("415 for the headers %j, and the message names what is wrong", async (headers, named) => {
    const post = async (): Promise<Answer> => await on.postBytes(on.urls.link, valid, headers);
    await on.expectRefused(post, { status: 415, code: "unsupported_media_type" });
    expect((await post()).body.error.message).toContain(named);
  });

  test.each([
    "application/json",
    "Application/JSON; charset=UTF-8",
    'application/json;charset="utf-8"',
    "application/json; charset=UTF8",
    "application/json ;charset=utf-8",
    "application/json; utf-8",
    "application/json; charset=us-ascii",
    'application/json; charset=utf-8; profile="https://example.com/a;b"; v=1;',
  ])("201 for the content type %s", async (type) => {
    expect((await on.postBytes(on.urls.link, valid, { "content-type": type })).status).toBe(201);
  });

  test("413 for a body of 64 KiB and a byte, 201 for one of 64 KiB", async () => {
    for (const operation of OPERATIONS) {
      await on.expectRefused(async () => await on.postBytes(on.urls[operation], sized(65_537)), {
        status: 413,
        code: "payload_too_large",
      });
    }
    expect((await on.postBytes(on.urls.link, sized(65_536))).status).toBe(201);
  });

  test.each([
    ["413 for a body over the 4.2 MB", " ".repeat(4_200_001), "The body is larger than 4.2 MB: send less."],
    ["400 for one of many small parts", `[${"1,".repeat(2_000_000)}1]`, "at most 64 members and elements"],
  ])("%s of a picture", async (what, text, message) => {
    const answer = await on.postBytes("/v1/media", Buffer.from(text));
    expect([answer.status, answer.body.error.message]).toEqual([
      Number(what.slice(0, 3)),
      expect.stringContaining(message),
    ]);
  });
});

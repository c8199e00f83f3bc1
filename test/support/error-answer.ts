import { expect } from "vitest";

export const REQUEST_ID = /^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** The parts of an answer that the contract's error shape is about. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Holds an answer against the contract's error shape, the whole body of it. */
export function expectError(
  { status, headers, text }: ErrorAnswer,
  expected: { status: number; code: string; param?: string | null },
): void {
  const requestId = headers["x-request-id"];
  expect({ status, body: JSON.parse(text) as unknown }).toEqual({
    status: expected.status,
    body: {
      error: {
        code: expected.code,
        message: expect.stringMatching(/.\.$/s),
        param: expected.param ?? null,
        request_id: requestId,
      },
    },
  });
  expect(requestId).toMatch(REQUEST_ID);
  expect(headers["content-type"]).toBe("application/json; charset=utf-8");
}

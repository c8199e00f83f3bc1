import { expect } from "vitest";

export const REQUEST_ID = /^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** The parts of an answer that the contract's error shape is about. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** What a refusal differs in from 400 invalid_request without a field. */
export interface Refusal {
  readonly status?: number;
  readonly code?: string;
  readonly param?: string | null;
  /** Absent: any sentence. */
  readonly message?: string | RegExp;
}

/** Expects a `/v1` refusal: the status, the whole body in the contract's error shape, and its headers. */
export function expectError({ status, headers, text }: ErrorAnswer, refusal: Refusal = {}): void {
  const { status: expected = 400, code = "invalid_request", param = null, message = /.[.?]$/s } = refusal;
  const requestId = headers["x-request-id"];
  expect({ status, body: JSON.parse(text) as unknown }).toEqual({
    status: expected,
    body: {
      error: {
        code,
        message: message instanceof RegExp ? expect.stringMatching(message) : message,
        param,
        request_id: requestId,
      },
    },
  });
  expect(requestId).toMatch(REQUEST_ID);
  expect(headers["content-type"]).toBe("application/json; charset=utf-8");
}

import type { MadeAnswer } from "../provider/server.ts";

/** A refusal in the provider's shape. */
export class Problem extends Error {
  readonly status: number;
  readonly errors: Readonly<Record<string, readonly string[]>> | undefined;

  constructor(status: number, message: string, errors?: Readonly<Record<string, readonly string[]>>) {
    super(message);
    this.status = status;
    this.errors = errors;
  }

  answer(): MadeAnswer {
    const body = { message: this.message, ...(this.errors ? { errors: this.errors } : {}) };
    return {
      status: this.status,
      contentType: "application/json; charset=utf-8",
      text: JSON.stringify(body),
    };
  }
}

/** A field that breaks the contract. */
export function invalid(field: string, text: string): Problem {
  return new Problem(422, "The request is invalid.", { [field]: [text] });
}

export function notFound(noun: string): Problem {
  return new Problem(404, `${noun} not found.`);
}

/** An action that an object's state does not allow. */
export function notNow(text: string): Problem {
  return new Problem(412, text);
}

const TEXTS: Readonly<Record<number, string>> = {
  401: "The key is not accepted.",
  403: "The request is not allowed.",
  404: "There is no such address.",
  429: "Too many requests.",
};

/** Returns the refusal of a status by itself. */
export function problemOf(status: number): Problem {
  return new Problem(status, TEXTS[status] ?? "The service did not answer as it should.");
}

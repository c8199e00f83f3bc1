import type { MadeAnswer } from "../provider/server.ts";

/** A refusal in the provider's shape. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, description: string) {
    super(description);
    this.status = status;
    this.code = code;
  }

  answer(): MadeAnswer {
    const errors = [{ code: this.code, description: this.message }];
    return { status: this.status, contentType: "application/json", text: JSON.stringify({ errors }) };
  }
}

export function invalid(field: string, description: string): Problem {
  return new Problem(400, `invalid_${field}`, description);
}

/** An action that an object's state does not allow. */
export function notNow(description: string): Problem {
  return new Problem(400, "invalid_action", description);
}

export function notFound(noun: string): Problem {
  return new Problem(404, "not_found", `${noun} inexistente nesta conta.`);
}

const TEXTS: Readonly<Record<number, readonly [code: string, description: string]>> = {
  401: ["invalid_access_token", "A chave de API não vale."],
  403: ["forbidden", "A requisição não é permitida."],
  404: ["not_found", "O endereço não existe."],
  429: ["too_many_requests", "Requisições demais."],
};

/** Returns the refusal of a status by itself. */
export function problemOf(status: number): Problem {
  const [code, description] = TEXTS[status] ?? ["internal_error", "O serviço não respondeu como devia."];
  return new Problem(status, code, description);
}

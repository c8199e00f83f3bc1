/** The names of errors in the API Pix, with their statuses. */
const STATUSES = {
  RequisicaoInvalida: 400,
  CobOperacaoInvalida: 400,
  CobConsultaInvalida: 400,
  PixConsultaInvalida: 400,
  PixDevolucaoInvalida: 400,
  WebhookOperacaoInvalida: 400,
  NaoAutorizado: 401,
  AcessoNegado: 403,
  NaoEncontrado: 404,
  CobNaoEncontrado: 404,
  PixNaoEncontrado: 404,
  PixDevolucaoNaoEncontrada: 404,
  WebhookNaoEncontrado: 404,
  LimiteExcedido: 429,
  ErroInternoDoServidor: 500,
  ServicoIndisponivel: 503,
  IndisponibilidadePorTempoEsgotado: 504,
} as const;

export type ProblemName = keyof typeof STATUSES;

/** What is wrong with one property of a request. */
export interface Violation {
  readonly razao: string;
  readonly propriedade: string;
}

/** A refusal in the form of RFC 7807. */
export class Problem extends Error {
  readonly problem: ProblemName;
  readonly status: number;
  readonly violations: readonly Violation[];

  constructor(problem: ProblemName, detail: string, violations: readonly Violation[] = []) {
    super(detail);
    this.name = "Problem";
    this.problem = problem;
    this.status = STATUSES[problem];
    this.violations = violations;
  }

  /** Returns the body of the answer. */
  body(): object {
    return {
      type: `https://pix.bcb.gov.br/api/v2/error/${this.problem}`,
      title: this.problem,
      status: this.status,
      detail: this.message,
      ...(this.violations.length === 0 ? {} : { violacoes: this.violations }),
    };
  }
}

/** Returns the name of a status that has no more exact one. */
export function problemOf(status: number): ProblemName {
  if (status === 503) return "ServicoIndisponivel";
  if (status === 504) return "IndisponibilidadePorTempoEsgotado";
  return "ErroInternoDoServidor";
}

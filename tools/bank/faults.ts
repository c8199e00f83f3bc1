import { brCode, damaged } from "./br-code.ts";
import type { Ids } from "./ids.ts";
import type { Fields } from "./state.ts";

/** The calls of the API, as faults name them. */
export type CallName =
  | "token"
  | "createCharge"
  | "readCharge"
  | "changeCharge"
  | "statement"
  | "returnList"
  | "readMoney"
  | "return"
  | "readReturn"
  | "askReport"
  | "readReport"
  | "setWebhook"
  | "readWebhook";

/** How a charge's answer is wrong, or only unlike the standard. */
export type ChargeAlteration =
  | "wrong_crc"
  | "wrong_amount_in_code"
  | "wrong_location_in_code"
  | "other_txid"
  | "other_key"
  | "other_amount"
  | "brcode"
  | "textoImagemQRcode"
  | "no_code"
  | "no_location"
  | "no_code_or_location"
  | "no_amount_in_code"
  | "nulls"
  | "no_money"
  | "number_amounts";

/**
 * What goes wrong with one call. "lost": it is carried out, and the connection is cut. "cut": the connection is cut
 * before. "hang": it is never answered. "silent": it is carried out, and never answered. "status", "busy",
 * "unauthorized": it is refused before it is carried out. "html", "empty": it is carried out, and its answer is that.
 * "text": it is not carried out, and its answer is that. "charge": the answer is altered. "drift": it is answered, and
 * then money arrives that shifts the statement's pages; if it is new, only where the period reaches to the present.
 * "endless": a page of a statement holds so many new rows, and says that there are so many pages. "refused_yet_made": a
 * return is carried out, its answer refuses it, and it is not found by its id for a while.
 */
export type Fault =
  | { readonly kind: "lost" | "cut" | "hang" | "silent" | "unauthorized" }
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "busy"; readonly retryAfter: string | null }
  | { readonly kind: "html"; readonly status: number }
  | { readonly kind: "empty"; readonly status: 200 | 204 }
  | { readonly kind: "text"; readonly status: number; readonly text: string }
  | { readonly kind: "charge"; readonly alteration: ChargeAlteration }
  | { readonly kind: "drift"; readonly amountMinor: bigint; readonly isNew?: boolean }
  | { readonly kind: "endless"; readonly rows: number; readonly pages: number }
  | { readonly kind: "refused_yet_made"; readonly status: number; readonly hiddenSeconds: number };

/** The faults that wait for their calls. */
export class Faults {
  readonly #waiting = new Map<CallName, Fault[]>();
  /** Draws the fault of a call for which none waits. */
  draw: (call: CallName, query: URLSearchParams) => Fault | undefined = () => undefined;

  /** The next `times` calls of a name fail. */
  add(call: CallName, fault: Fault, times: number): void {
    const list = this.#waiting.get(call) ?? [];
    for (let count = 0; count < times; count++) list.push(fault);
    this.#waiting.set(call, list);
  }

  /** Returns the fault of a call that came, if one waits for it. */
  take(call: CallName, query: URLSearchParams): Fault | undefined {
    return this.#waiting.get(call)?.shift() ?? this.draw(call, query);
  }

  clear(): void {
    this.#waiting.clear();
  }
}

/** Returns a statement's page as a bank gives it whose statements have no end. */
export function endless(body: Fields, rows: number, pages: number, ids: Ids): Fields {
  const { parametros } = body as { parametros: Fields };
  const paging = { quantidadeDePaginas: pages, quantidadeTotalDeItens: rows * pages };
  const at = new Date("2026-01-01T00:00:00Z");
  const row = () => ({ endToEndId: ids.endToEndId(at), valor: "0.01", horario: at.toISOString() });
  return {
    parametros: { ...parametros, paginacao: paging },
    pix: Array.from({ length: rows }, row),
  };
}

/** The standard requires neither field. */
function withoutLocation({ location: _location, loc: _loc, ...rest }: Fields): Fields {
  return rest;
}

/** Some banks leave out the money of a charge that is paid. */
function withoutMoney({ pix: _pix, ...rest }: Fields): Fields {
  return rest;
}

const ELSEWHERE = "pix.example.com/qr/v2/0000000000000000000000000000dead";

/** Returns a charge's answer as a faulty or a peculiar bank gives it. */
export function altered(body: Fields, alteration: ChargeAlteration): Fields {
  const { pixCopiaECola, ...rest } = body;
  const code = String(pixCopiaECola);
  const location = String(body["location"]);
  const { original } = body["valor"] as { original: string };
  switch (alteration) {
    case "wrong_crc":
      return { ...body, pixCopiaECola: damaged(code) };
    case "wrong_amount_in_code":
      return { ...body, pixCopiaECola: brCode(location, `1${original}`) };
    case "wrong_location_in_code":
      return { ...body, pixCopiaECola: brCode(ELSEWHERE, original) };
    case "other_txid":
      return { ...body, txid: "another00000000000000000000000" };
    case "other_key":
      return { ...body, chave: "another@example.com" };
    case "other_amount":
      return { ...body, valor: { original: `1${original}` } };
    case "brcode":
    case "textoImagemQRcode":
      return { ...rest, [alteration]: code };
    case "no_code":
      return rest;
    case "no_location":
      return withoutLocation(body);
    case "no_code_or_location":
      return withoutLocation(rest);
    case "no_amount_in_code":
      return { ...body, pixCopiaECola: brCode(location, null) };
    case "nulls":
      return { ...body, devedor: null, solicitacaoPagador: null, infoAdicionais: null, pix: null };
    case "no_money":
      return withoutMoney(body);
    case "number_amounts":
      return { ...body, valor: { original: Number(original) } };
  }
}

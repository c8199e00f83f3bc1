import { checkTxid, readTerms } from "./checks.ts";
import type { BankClock } from "./clock.ts";
import { locationOf, type Ids } from "./ids.ts";
import { chargeBody, moneyBody, type TimeForm } from "./messages.ts";
import { Problem } from "./problem.ts";
import { type Fields, termsOf, type Account, type Charge } from "./state.ts";

const REMOVED = "REMOVIDA_PELO_USUARIO_RECEBEDOR";

/** Creates a charge, or a new revision of an active one. Throws Problem. */
export function putCharge(account: Account, txid: string, body: Fields, clock: BankClock, ids: Ids): Charge {
  checkTxid(txid);
  const earlier = account.charges.get(txid);
  if (earlier && earlier.status !== "ATIVA") {
    throw new Problem("CobOperacaoInvalida", "a cobrança já existe e não está ATIVA");
  }
  const terms = readTerms(body, account.client.keys);
  if (earlier) {
    earlier.revisions.push({ terms, status: "ATIVA" });
    return earlier;
  }
  const charge: Charge = {
    txid,
    createdAt: clock.now(),
    locationId: ids.locationId(),
    location: locationOf(account.client.id, txid),
    status: "ATIVA",
    revisions: [{ terms, status: "ATIVA" }],
    money: [],
  };
  account.charges.set(txid, charge);
  return charge;
}

/** Changes or removes an active charge. Throws Problem. */
export function patchCharge(account: Account, txid: string, body: Fields): Charge {
  const charge = findCharge(account, txid);
  if (charge.status !== "ATIVA") throw new Problem("CobOperacaoInvalida", "a cobrança não está ATIVA");
  const { status, ...changes } = body;
  if (status !== undefined && status !== REMOVED) {
    throw new Problem("CobOperacaoInvalida", "cob.status não respeita o schema");
  }
  if (status !== undefined && Object.keys(changes).length > 0) {
    throw new Problem("CobOperacaoInvalida", "remoção junto com outras alterações");
  }
  const terms = readTerms(changes, account.client.keys, termsOf(charge));
  if (status === REMOVED) charge.status = REMOVED;
  charge.revisions.push({ terms, status: charge.status });
  return charge;
}

/** Throws Problem if there is no such charge. */
export function findCharge(account: Account, txid: string): Charge {
  checkTxid(txid);
  const charge = account.charges.get(txid);
  if (!charge) throw new Problem("CobNaoEncontrado", "cobrança não encontrada para o txid informado");
  return charge;
}

/** Returns a charge as its creation and its change answer it. */
export function madeCharge(charge: Charge, form: TimeForm): Fields {
  const { status } = charge;
  return chargeBody(charge, form, { terms: termsOf(charge), status, number: charge.revisions.length - 1 });
}

/** Returns a charge with its money, in its last revision or an earlier one. Throws Problem. */
export function wholeCharge(charge: Charge, asked: string | null, form: TimeForm): Fields {
  const number = asked === null ? charge.revisions.length - 1 : Number(asked);
  const revision = charge.revisions[number];
  if (!revision) throw new Problem("CobConsultaInvalida", "revisão inexistente");
  const isLast = number === charge.revisions.length - 1;
  const status = isLast ? charge.status : revision.status;
  return {
    ...chargeBody(charge, form, { terms: revision.terms, status, number }),
    ...(charge.money.length === 0 ? {} : { pix: charge.money.map((one) => moneyBody(one, form, false)) }),
  };
}

import { textOf, type Fields } from "../provider/json.ts";
import { today, type AsaasDeps } from "./deps.ts";
import { invalid, notFound, Problem } from "./problem.ts";
import type { Account, Customer } from "./state.ts";
import { isTaxId } from "./tax-id.ts";

export function createCustomer(account: Account, body: Fields, deps: AsaasDeps): Customer {
  const name = textOf(body["name"])?.trim() ?? "";
  if (name === "") throw invalid("name", "O nome do cliente falta.");
  const taxId = (textOf(body["cpfCnpj"]) ?? "").replaceAll(/[.\-/]/g, "");
  // The sandbox names no field here.
  if (!isTaxId(taxId)) throw new Problem(400, "invalid_object", "O CPF/CNPJ não é válido.");
  const email = textOf(body["email"]);
  if (email !== null && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) {
    throw invalid("email", "O e-mail não é válido.");
  }
  const customer: Customer = {
    id: `cus_${String(deps.ids.next()).padStart(12, "0")}`,
    createdOn: today(deps),
    name,
    taxId,
    email,
    phone: phoneOf(body, "phone"),
    mobilePhone: phoneOf(body, "mobilePhone"),
    externalReference: textOf(body["externalReference"]),
    notificationDisabled: body["notificationDisabled"] === true,
  };
  account.customers.set(customer.id, customer);
  return customer;
}

export function findCustomer(account: Account, id: string): Customer {
  const customer = account.customers.get(id);
  if (!customer) throw notFound("Cliente");
  return customer;
}

/** Returns the customers that a list asks for, the last one first. */
export function listedCustomers(account: Account, query: URLSearchParams): Customer[] {
  const fits = (name: string, value: string | null): boolean => !query.has(name) || query.get(name) === value;
  return [...account.customers.values()]
    .filter((one) => fits("cpfCnpj", one.taxId) && fits("externalReference", one.externalReference))
    .filter((one) => fits("email", one.email) && fits("name", one.name))
    .toReversed();
}

/** Like the sandbox, it refuses a number whose last digits are all the same. */
function phoneOf(body: Fields, field: "phone" | "mobilePhone"): string | null {
  const digits = textOf(body[field])?.replaceAll(/\D/g, "") ?? null;
  if (digits === null) return null;
  if (!/^\d{10,11}$/.test(digits) || /(\d)\1{7}$/.test(digits)) {
    throw invalid(field, "O telefone não é válido.");
  }
  return digits;
}

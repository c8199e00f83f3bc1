/** The body of POST /v1/payment_links once `linkProblem` found nothing. */
export interface LinkBody {
  amount: number;
  currency: "BRL" | "USD";
  reference?: string;
  payment_methods?: ("pix" | "card")[];
  max_installments?: number;
  fee_handling?: "absorb" | "pass_through";
  expires_in?: number;
  campaign?: boolean;
  description?: string;
  product_ref?: string;
  details?: string;
  product_images?: string[];
  collect_fields?: string[];
  metadata?: Record<string, unknown>;
}

type Check = (value: unknown) => boolean;

const integer =
  (least: number, most: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
const text =
  (most: number): Check =>
  (value) =>
    typeof value === "string" && value.length <= most;
const word =
  (...words: string[]): Check =>
  (value) =>
    words.includes(value as string);
const list =
  (check: Check, most: number, least = 0): Check =>
  (value) =>
    Array.isArray(value) && value.length >= least && value.length <= most && value.every(check);

const checks = new Map<string, Check>([
  ["amount", integer(1, 999_999_999_999)],
  ["currency", word("BRL", "USD")],
  ["reference", text(255)],
  ["payment_methods", list(word("pix", "card"), 2, 1)],
  ["max_installments", integer(1, 21)],
  ["fee_handling", word("absorb", "pass_through")],
  ["expires_in", integer(0, 9_999_999_999)],
  ["campaign", (value) => typeof value === "boolean"],
  ["description", text(500)],
  ["product_ref", text(255)],
  ["details", text(500)],
  ["product_images", list(text(2048), 5)],
  ["collect_fields", list(word("phone", "address"), 2)],
  ["metadata", (value) => typeof value === "object" && value !== null && Object.keys(value).length <= 20],
]);

/** The first thing wrong with a body, or undefined. */
export function linkProblem(body: unknown): { code: string; param: string | null } | undefined {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    return { code: "invalid_request", param: null };
  for (const [key, value] of Object.entries(body)) {
    const check = checks.get(key);
    if (!check) return { code: "unknown_parameter", param: key };
    if (!check(value)) return { code: "invalid_request", param: key };
  }
  for (const required of ["amount", "currency"]) {
    if (!(required in body)) return { code: "invalid_request", param: required };
  }
  const { metadata = {} } = body as LinkBody;
  const reserved = Object.keys(metadata).find((key) => key.startsWith("svc_"));
  return reserved === undefined ? undefined : { code: "reserved_metadata_key", param: reserved };
}

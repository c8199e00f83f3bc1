import type { Profile, Resource } from "./profile.ts";

const STANDARD = {
  tokenStyle: "basic_form",
  codeFields: ["pixCopiaECola"],
  hasMilliseconds: true,
  pageSize: 1000,
  windowDays: 1,
} as const;

function oneBase(address: string): Record<Resource, string> {
  return { cob: address, pix: address, webhook: address };
}

const SICREDI = "https://api-pix.sicredi.com.br";
const SANTANDER = "https://trust-pix.santander.com.br";

/** The banks whose differences are known. "bacen" is the standard itself, at addresses that the account names. */
const ALL: readonly Profile[] = [
  { ...STANDARD, name: "bacen", base: null, tokenUrl: null },
  {
    ...STANDARD,
    name: "efi",
    base: oneBase("https://pix.api.efipay.com.br/v2"),
    tokenUrl: "https://pix.api.efipay.com.br/oauth/token",
    tokenStyle: "basic_json",
    hasNoReturnText: true,
    hasReports: true,
    openCallbackHeaders: { "x-skip-mtls-checking": "true" },
  },
  {
    ...STANDARD,
    name: "sicredi",
    base: { ...oneBase(`${SICREDI}/api/v2`), cob: `${SICREDI}/api/v3` },
    tokenUrl: `${SICREDI}/oauth/token`,
  },
  {
    ...STANDARD,
    name: "bb",
    base: oneBase("https://api-pix.bb.com.br/pix/v2"),
    tokenUrl: "https://oauth.bb.com.br/oauth/token",
    query: { "gw-dev-app-key": "app_key" },
    codeFields: ["pixCopiaECola", "textoImagemQRcode"],
    returnsPath: "/pix-bb/devolucoes",
    pageSize: 100,
  },
  {
    ...STANDARD,
    name: "itau",
    base: oneBase("https://secure.api.itau/pix_recebimentos/v2"),
    tokenUrl: "https://sts.itau.com.br/api/oauth/token",
    tokenStyle: "secret_form",
    headers: { "x-correlationID": "call_id" },
    pageSize: 100,
  },
  {
    ...STANDARD,
    name: "sicoob",
    base: oneBase("https://api.sicoob.com.br/pix/api/v2"),
    tokenUrl: "https://auth.sicoob.com.br/auth/realms/cooperado/protocol/openid-connect/token",
    tokenStyle: "id_form",
    headers: { client_id: "client_id" },
    codeFields: ["pixCopiaECola", "brcode"],
    pageSize: 100,
  },
  {
    ...STANDARD,
    name: "inter",
    base: oneBase("https://cdpj.partners.bancointer.com.br/pix/v2"),
    tokenUrl: "https://cdpj.partners.bancointer.com.br/oauth/v2/token",
    tokenStyle: "secret_form",
    headers: { "x-conta-corrente": "account_number" },
    quota: { callsPerMinute: 120, of: /^\/pix\// },
  },
  {
    ...STANDARD,
    name: "bradesco",
    base: oneBase("https://qrpix.bradesco.com.br/v2"),
    tokenUrl: "https://qrpix.bradesco.com.br/auth/server/oauth/token",
    hasNoScopes: true,
    pageSize: 100,
  },
  {
    ...STANDARD,
    name: "santander",
    base: oneBase(`${SANTANDER}/api/v1`),
    tokenUrl: `${SANTANDER}/oauth/token`,
    tokenStyle: "secret_form_query",
    headers: { "X-Application-Key": "app_key" },
    isAppKeyOptional: true,
    changeBase: `${SANTANDER}/api/v2`,
    hasMilliseconds: false,
    pageSize: 100,
  },
];

export const PROFILES: ReadonlyMap<string, Profile> = new Map(ALL.map((profile) => [profile.name, profile]));

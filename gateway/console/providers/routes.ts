import { bankName } from "../../../contract/bank-names.ts";
import { wordsOf } from "../../../contract/enum-words.ts";
import {
  ProviderKind,
  type Provider,
  type ProviderAccount,
} from "../../../gen/paylink/providers/v1/providers_pb.ts";
import { html } from "../../pages/html.ts";
import { form } from "../form/form.ts";
import { codeOf, FormProblem } from "../problems.ts";
import { figures } from "../parts/figures.ts";
import { withQuery } from "../parts/table.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { accountList } from "./list.ts";
import { messagesIn, type MessageKey, type Translate } from "./messages.ts";
import { settingFields, settingProblems, settingsIn } from "./setting-fields.ts";
import { unknownMoney } from "./unknown-money.ts";
import { accountFacts, accountPage, choicePage, isActive, kindText } from "./views.ts";

const ROOM = {
  permission: "providers.write",
  section: "/providers",
  messages: messagesIn,
  asksPassword: true,
} as const;
const PATH = pathOf(":id");
const kinds = wordsOf(ProviderKind);
/** The parts of a form about the account in its path. */
const OWN = {
  ...ROOM,
  load: accountOf,
  about: accountFacts,
  from: (t: Translate, { id }: ProviderAccount) => ({ path: pathOf(id), title: t("account") }),
};

/** Adds the pages of accounts at banks, and of money that belongs to no charge. */
export function providersRoom(routes: ConsoleRoutes): void {
  accountList.addTo(routes);
  unknownMoney(routes);
  routes.page(
    PATH,
    "providers.read",
    async (visit) => await visit.show(accountPage(visit, await accountOf(visit))),
  );
  addPut(routes);
  addRotate(routes);
  addOthers(routes);
}

function addPut(routes: ConsoleRoutes): void {
  routes.page("/providers/new", ROOM.permission, async (visit) => {
    const { providers } = await visit.core.providers.listProviders({}, visit.as);
    return await visit.show(choicePage(visit, providers));
  });
  form<MessageKey, string, Provider>(routes, {
    ...ROOM,
    path: "/providers/new/:kind/:profile",
    title: "put_title",
    text: "put_text",
    button: "put",
    load: async (visit) =>
      await providerOf(visit, visit.part("profile"), (kind) => kinds.wordOf(kind) === visit.part("kind")),
    about: (visit, { kind, profile }) =>
      html`<p>${kindText(visit, kind)}: ${bankName(visit.language, profile)}</p>`,
    from: (t) => ({ path: "/providers/new", title: t("choose") }),
    fields: { label: { kind: "text", label: "label", fills: null } },
    fieldsOf: settingFields,
    act: async ({ core, as, mode }, sent) => {
      if (mode !== "live") throw new FormProblem("", sent.t("lead_test"));
      const label = sent.text("label");
      const { kind, profile } = sent.loaded;
      const settings = settingsIn(sent.loaded, sent);
      const request = { kind, profile, settings, ...(label === "" ? {} : { label }) };
      const { account, callbackUrl } = await explained(
        sent.t,
        async () => await core.providers.putProviderAccount(request, as),
      );
      return {
        title: sent.t("url_title"),
        text: sent.t("url_text"),
        id: "callback-url",
        value: callbackUrl,
        label: sent.t("url_label"),
        done: sent.t("url_done"),
        path: pathOf(account?.id ?? ""),
      };
    },
    explain: settingProblems,
  });
}

function addRotate(routes: ConsoleRoutes): void {
  form<MessageKey, string, Provider & { readonly account: ProviderAccount }>(routes, {
    ...ROOM,
    path: `${PATH}/rotate`,
    title: "rotate_title",
    text: "rotate_text",
    button: "rotate",
    load: async (visit) => {
      const account = await activeAccountOf(visit);
      return { ...(await providerOf(visit, account.profile, (kind) => kind === account.kind)), account };
    },
    about: (visit, { account }) => accountFacts(visit, account),
    from: (t, { account }) => ({ path: pathOf(account.id), title: t("account") }),
    fieldsOf: settingFields,
    act: async ({ core, as }, sent) => {
      const { id } = sent.loaded.account;
      const request = { id, settings: settingsIn(sent.loaded, sent) };
      await explained(sent.t, async () => await core.providers.rotateProviderAccount(request, as));
      return `${pathOf(id)}?done=rotated`;
    },
    explain: settingProblems,
  });
}

/** Returns the provider of a profile and a kind. Throws Refused when there is no such one. */
async function providerOf(
  visit: Visit,
  profile: string,
  isKind: (kind: ProviderKind) => boolean,
): Promise<Provider> {
  const { providers } = await visit.core.providers.listProviders({}, visit.as);
  const provider = providers.find((one) => one.profile === profile && isKind(one.kind));
  if (!provider) throw new Refused("unknown", visit);
  return provider;
}

function addOthers(routes: ConsoleRoutes): void {
  form(routes, {
    ...OWN,
    path: `${PATH}/verify`,
    title: "verify_title",
    text: "verify_text",
    button: "verify",
    fields: {
      register: {
        kind: "checkbox",
        label: "register",
        options: (t) => [["yes", t("register_yes")]],
        fills: null,
      },
      replace: {
        kind: "checkbox",
        label: "replace",
        options: (t) => [["yes", t("replace_yes")]],
        fills: null,
      },
    },
    initial: () => ({ register: "yes" }),
    act: async ({ core, as }, sent) => {
      const { t, loaded } = sent;
      const { id } = loaded;
      const isRegistered = sent.texts("register").includes("yes");
      const isReplaced = sent.texts("replace").includes("yes");
      const answer = await core.providers.verifyProviderAccount({ id, isRegistered, isReplaced }, as);
      const { isAccepted, problem = "", isCallbackRegistered, otherCallbackUrl: url, missingScopes } = answer;
      const { chargeClockGapSeconds: gap } = answer;
      if (!isAccepted) throw new FormProblem("", t("verify_refused", { problem }));
      if (isRegistered && url !== undefined) throw new FormProblem("replace", t("other_address", { url }));
      return withQuery(pathOf(id), {
        done: isCallbackRegistered ? "verified" : "unregistered",
        ...(missingScopes.length === 0 ? {} : { missing: missingScopes.join(" ") }),
        ...(gap === undefined ? {} : { gap: String(gap) }),
      });
    },
  });
  form(routes, {
    ...OWN,
    path: `${PATH}/sweep`,
    title: "sweep_title",
    text: "sweep_text",
    button: "sweep",
    act: async (visit, { t, loaded: { id } }) => {
      const { core, as } = visit;
      const swept = await explained(t, async () => await core.providers.sweepProviderAccount({ id }, as));
      const { moneyCount: money, unknownCount: unknown } = swept;
      return withQuery(pathOf(id), figures(visit, { money, unknown }));
    },
  });
  form(routes, {
    ...OWN,
    load: activeAccountOf,
    path: `${PATH}/retire`,
    title: "retire_title",
    text: "retire_text",
    button: "retire",
    isDangerous: true,
    act: async ({ core, as }, { loaded: { id } }) => {
      await core.providers.retireProviderAccount({ id }, as);
      return `${pathOf(id)}?done=retired`;
    },
  });
}

/** Throws FormProblem for refusals that concern an account alone. */
async function explained<Answer>(t: Translate, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    const code = codeOf(error);
    if (code === "provider_account_exists") throw new FormProblem("", t("exists"));
    if (code === "provider_account_retired") throw new FormProblem("", t("is_retired"));
    if (code === "service_unavailable") throw new FormProblem("", t("sweep_failed"));
    throw error;
  }
}

/** Returns the account in the path. Throws Refused when the company has no such account. */
async function accountOf(visit: Visit): Promise<ProviderAccount> {
  const account = visit.accounts.find(({ id }) => id === visit.part("id"));
  if (!account) throw new Refused("unknown", visit);
  return await Promise.resolve(account);
}

/** Returns the account in the path. Throws Refused as `accountOf` does, and when the account is retired. */
async function activeAccountOf(visit: Visit): Promise<ProviderAccount> {
  const account = await accountOf(visit);
  if (!isActive(account)) throw new Refused("unknown", visit);
  return account;
}

function pathOf(id: string): string {
  return `/providers/${id}`;
}

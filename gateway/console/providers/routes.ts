import {
  PixConfigSchema,
  ProviderKind,
  type ProviderAccount,
} from "../../../gen/paylink/providers/v1/providers_pb.ts";
import { form } from "../form/form.ts";
import { codeOf, FormProblem } from "../problems.ts";
import { figures } from "../parts/figures.ts";
import { withQuery } from "../parts/table.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { CONFIG_FIELDS, configIn, configProblems } from "./config-fields.ts";
import { accountList } from "./list.ts";
import { messagesIn, type Translate } from "./messages.ts";
import { unknownMoney } from "./unknown-money.ts";
import { accountFacts, accountPage, isActive } from "./views.ts";

/** The profiles of `src/api-pix`. */
export const PROFILES = [
  "efi",
  "sicredi",
  "bb",
  "itau",
  "sicoob",
  "inter",
  "bradesco",
  "santander",
  "bacen",
] as const;

const ROOM = {
  permission: "providers.write",
  section: "/providers",
  messages: messagesIn,
  asksPassword: true,
} as const;
const PATH = pathOf(":id");
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
  form(routes, {
    ...ROOM,
    path: "/providers/new",
    title: "put_title",
    text: "put_text",
    button: "put",
    request: PixConfigSchema,
    fields: {
      profile: {
        kind: "select",
        label: "profile",
        options: () => PROFILES.map((name) => [name, name]),
        fills: null,
      },
      label: { kind: "text", label: "label", fills: null },
      ...CONFIG_FIELDS,
    },
    act: async ({ core, as, mode }, sent) => {
      if (mode !== "live") throw new FormProblem("", sent.t("lead_test"));
      const label = sent.text("label");
      const request = {
        kind: ProviderKind.PIX,
        profile: sent.choice("profile"),
        config: configIn(sent),
        ...(label === "" ? {} : { label }),
      };
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
    explain: configProblems,
  });
}

function addRotate(routes: ConsoleRoutes): void {
  form(routes, {
    ...OWN,
    load: activeAccountOf,
    path: `${PATH}/rotate`,
    title: "rotate_title",
    text: "rotate_text",
    button: "rotate",
    request: PixConfigSchema,
    fields: CONFIG_FIELDS,
    act: async ({ core, as }, sent) => {
      const { id } = sent.loaded;
      const request = { id, config: configIn(sent) };
      await explained(sent.t, async () => await core.providers.rotateProviderAccount(request, as));
      return `${pathOf(id)}?done=rotated`;
    },
    explain: configProblems,
  });
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
    },
    initial: () => ({ register: "yes" }),
    act: async ({ core, as }, sent) => {
      const { t, loaded } = sent;
      const { id } = loaded;
      const isRegistered = sent.texts("register").includes("yes");
      const answer = await core.providers.verifyProviderAccount({ id, isRegistered }, as);
      const { isAccepted, problem = "", isCallbackRegistered } = answer;
      if (!isAccepted) throw new FormProblem("", t("verify_refused", { problem }));
      return `${pathOf(id)}?done=${isCallbackRegistered ? "verified" : "unregistered"}`;
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

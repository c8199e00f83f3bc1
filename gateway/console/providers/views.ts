import { timestampMs } from "@bufbuild/protobuf/wkt";
import { daysAnnounced } from "../../../contract/certificate-notice.ts";
import { daysText } from "../../../contract/day.ts";
import { wordsOf } from "../../../contract/enum-words.ts";
import { explainedScopes, missingScopeMessagesIn } from "../../../contract/missing-scope-messages.ts";
import { needMessagesIn } from "../../../contract/need-messages.ts";
import { accountNeeds, type Need } from "../../../contract/needs.ts";
import {
  CallbackProofKind,
  ProviderAccountState,
  ProviderKind,
  type Provider,
  type ProviderAccount,
} from "../../../gen/paylink/providers/v1/providers_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { figuresOf } from "../parts/figures.ts";
import { doneNotice } from "../parts/done.ts";
import { badge, card, facts, notice, time } from "../parts/show.ts";
import type { Visit } from "../visit.ts";
import { messagesIn, type MessageKey, type Translate } from "./messages.ts";

const kinds = wordsOf(ProviderKind);
const DONE: Readonly<Record<string, MessageKey>> = {
  verified: "verified_done",
  unregistered: "verified_unregistered",
  rotated: "rotated_done",
  retired: "retired_done",
};

const PROOFS: Readonly<Partial<Record<CallbackProofKind, MessageKey>>> = {
  [CallbackProofKind.HMAC]: "proof_hmac",
  [CallbackProofKind.MTLS]: "proof_mtls",
  [CallbackProofKind.TOKEN]: "proof_token",
  [CallbackProofKind.SIGNATURE]: "proof_signature",
  [CallbackProofKind.BASIC]: "proof_basic",
};

/** Returns the page of one account, with what can be done with it. */
export function accountPage(visit: Visit, account: ProviderAccount): Html {
  const t = messagesIn(visit.language);
  const { money, unknown = 0 } = figuresOf(visit, ["money", "unknown"]);
  return consolePage(visit, {
    title: t("account_title"),
    section: "/providers",
    trail: { path: "/providers", title: t("title") },
    actions: accountActions(visit, t, account),
    content: html`${doneNotice(visit, t, DONE)} ${missingNotice(visit)} ${clockNotice(visit)}
    ${money === undefined ? "" : notice(t("swept", { money, unknown }))} ${accountNotices(visit, [account])}
    ${card(nameOf(t, account), accountFacts(visit, account))}`,
  });
}

/** Returns what an account that was verified cannot do, by the `missing` parameter of the address. */
function missingNotice(visit: Visit): Html | "" {
  const scopes = explainedScopes((visit.query["missing"] ?? "").split(" "));
  if (scopes.length === 0) return "";
  const t = missingScopeMessagesIn(visit.language);
  return html`<div class="problems" role="status">${scopes.map((scope) => html`<p>${t(scope)}</p>`)}</div>`;
}

/** Returns that the times of an account's charges are others than its clock's, by the `gap` parameter of the address. */
function clockNotice(visit: Visit): Html | "" {
  const { gap: seconds = "" } = visit.query;
  if (!/^-?\d{1,9}$/.test(seconds)) return "";
  const text = messagesIn(visit.language)("clock_gap", { seconds });
  return html`<div class="problems" role="status"><p>${text}</p></div>`;
}

/** Returns the page on which a person chooses what a new account is at. */
export function choicePage(visit: Visit, providers: readonly Provider[]): Html {
  const t = messagesIn(visit.language);
  const byKind = Map.groupBy(providers, ({ kind }) => kind);
  return consolePage(visit, {
    title: t("put_title"),
    section: "/providers",
    trail: { path: "/providers", title: t("title") },
    content: html`<p>${t("choose")}</p>
      ${[...byKind].map(([kind, same]) => {
        const path = visit.path(`/providers/new/${kinds.wordOf(kind) ?? ""}`);
        const links = same.map(
          ({ profile }) => html`<li><a href="${path}/${encodeURIComponent(profile)}">${profile}</a></li>`,
        );
        return card(
          kindText(visit, kind),
          html`<ul>
            ${links}
          </ul>`,
        );
      })}`,
  });
}

export function kindText(visit: Visit, kind: ProviderKind): string {
  return messagesIn(visit.language)(kind === ProviderKind.CARD ? "kind_card" : "kind_pix");
}

function accountActions(visit: Visit, t: Translate, account: ProviderAccount): Html {
  const path = visit.path(`/providers/${account.id}`);
  return html`<a class="button primary" href="${path}/verify">${t("verify")}</a>
    <a class="button" href="${path}/sweep">${t("sweep")}</a>
    ${
      isActive(account)
        ? html`<a class="button" href="${path}/rotate">${t("rotate")}</a>
            <a class="button danger" href="${path}/retire">${t("retire")}</a>`
        : ""
    }`;
}

export function accountFacts(visit: Visit, account: ProviderAccount): Html {
  const t = messagesIn(visit.language);
  const { id, kind, profile, fingerprint, certificateSubject, callbackProof } = account;
  return facts([
    [t("state"), stateBadge(t, account)],
    [t("kind"), kindText(visit, kind)],
    [t("profile"), profile],
    [t("client"), clientText(account)],
    [t("fingerprint"), html`<code class="id">${fingerprint}</code>`],
    [t("certificate"), certificateSubject || "—"],
    [t("expires"), expiry(visit, t, account)],
    [t("proof"), t(PROOFS[callbackProof] ?? "proof_hmac")],
    [t("verified"), time(visit, account.verifiedAt, t("never"))],
    [t("rotated"), time(visit, account.rotatedAt, t("never"))],
    [t("created"), time(visit, account.createdAt)],
    ["ID", html`<code class="id">${id}</code>`],
  ]);
}

/** Returns the warnings of accounts. */
export function accountNotices(visit: Visit, accounts: readonly ProviderAccount[]): Html | "" {
  const texts = accounts.flatMap((account) =>
    accountNeeds(account, Date.now()).map((need) => accountNotice(visit, account, need)),
  );
  if (texts.length === 0) return "";
  return html`<div class="problems" role="status">${texts.map((text) => html`<p>${text}</p>`)}</div>`;
}

/** Returns what a person has to do about an account, in words. */
export function accountNotice(visit: Visit, account: ProviderAccount, { key, at, days = [] }: Need): string {
  const name = nameOf(messagesIn(visit.language), account);
  return needMessagesIn(visit.language)(key, {
    name,
    time: at ? visit.format.time(at) : "",
    days: daysText(days, (day) => visit.format.day(day)),
  });
}

/** Returns within how many days the account's certificate ends, if that is to be announced. */
function announced({ certificateExpiresAt }: ProviderAccount): number | undefined {
  return certificateExpiresAt && daysAnnounced(timestampMs(certificateExpiresAt), Date.now());
}

export function isActive({ state }: ProviderAccount): boolean {
  return state === ProviderAccountState.ACTIVE;
}

/** Returns the account's name, or that of its bank. */
export function nameOf(t: Translate, { label, profile, lastFour }: ProviderAccount): string {
  return label || `${t("no_label")} (${profile} …${lastFour})`;
}

export function clientText({ lastFour }: ProviderAccount): Html {
  return html`<code class="id">…${lastFour}</code>`;
}

export function stateBadge(t: Translate, account: ProviderAccount): Html {
  const state = isActive(account) ? badge("good", t("active")) : badge("plain", t("retired"));
  return account.isDemo ? html`${state} ${badge("warn", t("demo_account"))}` : state;
}

export function expiry(visit: Visit, t: Translate, account: ProviderAccount): Html {
  const days = isActive(account) ? announced(account) : undefined;
  const when = time(visit, account.certificateExpiresAt);
  if (days === undefined) return html`${when}`;
  const text = days === 0 ? t("ended") : days === 1 ? t("ends_tomorrow") : t("ends_in", { days });
  return html`${when} ${badge(days === 30 ? "warn" : "bad", text)}`;
}

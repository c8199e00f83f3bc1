import type { DescMessage } from "@bufbuild/protobuf";
import type { FastifyReply } from "fastify";
import { html, type Html } from "../../pages/html.ts";
import type { Language } from "../../pages/language.ts";
import type { Translate } from "../../pages/messages.ts";
import { showOnce, submissionField } from "../fields/submission.ts";
import { Typed } from "../fields/typed.ts";
import { consolePage, sectionTitle } from "../frame.ts";
import { passwordField, postForm, problemList } from "../parts/form.ts";
import { NO_PROBLEMS, type Problems } from "../problems.ts";
import type { ChangeRoute, ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { declared, labelOf, showField, type DeclaredField, type Field } from "./field.ts";
import { faultsIn } from "./faults.ts";
import { oncePage, type ShownOnce } from "./once.ts";
import { refusedIn, Sent } from "./sent.ts";

const PROBLEM_STATUS = 422;

/** A form or a confirmation: its page, its fields and what it does. */
export interface FormParts<Key extends string, Name extends string, Loaded> {
  /** Where the form is sent, and where its page is unless `page` says otherwise. */
  readonly path: string;
  readonly permission: ChangeRoute["permission"];
  /** The section of the menu, to which the page leads back unless `from` says otherwise. */
  readonly section: string;
  readonly messages: (language: Language) => Translate<Key>;
  readonly title: NoInfer<Key>;
  readonly text?: NoInfer<Key>;
  /** Absent: "Save". */
  readonly button?: NoInfer<Key>;
  /** Attributes of the button, such as those by which a script says what it will do. */
  readonly buttonAttributes?: (visit: Visit, loaded: Loaded) => Html;
  /** The values in title, text and button. */
  readonly values?: (loaded: Loaded) => Readonly<Record<string, string>>;
  readonly from?: (t: Translate<Key>, loaded: Loaded) => { readonly path: string; readonly title: string };
  /** Shown above the text. */
  readonly about?: (visit: Visit, loaded: Loaded) => Html;
  /** The request that the form fills. Its rules are the limits of the fields. */
  readonly request?: DescMessage;
  readonly fields?: Readonly<Record<Name, Field<NoInfer<Key>>>>;
  /** Returns the fields that depend on what the form is about, after those of `fields`. */
  readonly fieldsOf?: (visit: Visit, loaded: Loaded) => ReadonlyMap<Name, DeclaredField<NoInfer<Key>>>;
  /** Returns what the form is about. Throws Refused when there is no such thing. */
  readonly load?: (visit: Visit) => Promise<Loaded>;
  /** The values that the fields begin with. */
  readonly initial?: (loaded: Loaded) => Readonly<Partial<Record<Name, string | readonly string[]>>>;
  /** True: the form's `password` must be the user's own. */
  readonly asksPassword?: boolean;
  /** True: a form that is sent twice acts once and shows its secret once. `act` passes `submission` to the core. */
  readonly onlyOnce?: boolean;
  readonly isDangerous?: boolean;
  /** Returns the path of the page to go to, or a secret to show. A refusal by the core shows the form again. */
  readonly act: (visit: Visit, sent: Sent<Key, Name, Loaded>) => Promise<string | ShownOnce>;
  /** Returns what else the sent fields show to be wrong, besides the rules of the request. */
  readonly faults?: (visit: Visit, typed: Typed, t: Translate<Key>) => Problems;
  /** Returns the problems in the room's own texts. There are none before the form is sent. */
  readonly explain?: (t: Translate<Key>, problems: Problems, loaded: Loaded) => Problems;
  /** The page that the form is a part of. */
  readonly page?: {
    readonly path: string;
    readonly permission: ChangeRoute["permission"];
    readonly show: (visit: Visit, form: Html, problems: Html | "", loaded: Loaded) => Promise<Html>;
  };
}

/** Adds the page of a form and the change that it makes. Throws Error if a field fills none of the request. */
export function form<Key extends string, Name extends string, Loaded>(
  routes: ConsoleRoutes,
  parts: FormParts<Key, Name, Loaded>,
): void {
  const { path, permission, page, section, onlyOnce, asksPassword, isDangerous, button, act } = parts;
  const fixed = declared(parts.request, parts.fields);
  const opened = async (visit: Visit) => {
    // Without `load` a form is about nothing, and its other parts take no `loaded`.
    const loaded = (await parts.load?.(visit)) as Loaded;
    return {
      t: parts.messages(visit.language),
      loaded,
      fields: parts.fieldsOf ? new Map([...fixed, ...parts.fieldsOf(visit, loaded)]) : fixed,
      initial: Typed.of(parts.initial?.(loaded) ?? {}),
    };
  };
  const show = async (visit: Visit, found: Problems, sent?: Typed): Promise<Html> => {
    const { t, loaded, fields, initial } = await opened(visit);
    const refused = refusedIn(visit, t, fields, found);
    const problems = parts.explain?.(t, refused, loaded) ?? refused;
    const content = { t, typed: sent ?? initial, initial, problems };
    const values = parts.values?.(loaded);
    const back = parts.from?.(t, loaded) ?? { path: section, title: sectionTitle(visit, section) };
    const cancel = html`<a class="button" href="${visit.path(back.path)}">${visit.t("cancel")}</a>`;
    const submit = html`<button
      class="${isDangerous ? "danger" : "primary"}"
      ${parts.buttonAttributes?.(visit, loaded) ?? ""}
    >
      ${button ? t(button, values) : visit.t("save")}
    </button>`;
    const own = postForm(
      visit,
      visit.path(path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(visit.part(name)))),
      html`${onlyOnce ? submissionField() : ""}
      ${[...fields].map(([name, field]) => showField(visit, name, field, content))}
      ${asksPassword ? passwordField(visit, problems) : ""}
      ${page ? submit : html`<div class="actions">${submit} ${cancel}</div>`}`,
    );
    const labels = new Map<string, string | undefined>([
      ["password", visit.t("your_password")],
      ...[...fields].map(([name, field]) => [name, labelOf(field, t)] as const),
    ]);
    const listed = problemList(visit, problems, labels);
    if (page) return await page.show(visit, own, listed, loaded);
    return consolePage(visit, {
      title: t(parts.title, values),
      section,
      trail: back,
      content: html`${listed}
        <section class="card slim">
          ${parts.about?.(visit, loaded) ?? ""} ${parts.text ? html`<p>${t(parts.text, values)}</p>` : ""}
          ${own}
        </section>`,
    });
  };
  routes.page(
    page?.path ?? path,
    page?.permission ?? permission,
    async (visit) => await visit.show(await show(visit, NO_PROBLEMS)),
  );
  const isStale = async (visit: Visit, typed: Typed): Promise<boolean> => {
    const hidden = [...fixed].filter(([, { field }]) => field.kind === "hidden");
    if (hidden.length === 0) return false;
    const { initial } = await opened(visit);
    return hidden.some(([name]) => typed.text(name) !== initial.text(name));
  };
  routes.change(path, permission, {
    ...(asksPassword ? { isConfirmed: true } : {}),
    faults: async (visit) => {
      const typed = Typed.sent(visit);
      // Shown again, it would begin with the values of now: `act` refuses it as a whole.
      if (await isStale(visit, typed)) return NO_PROBLEMS;
      const t = parts.messages(visit.language);
      const { fields } = parts.fieldsOf ? await opened(visit) : { fields: fixed };
      return new Map([...(parts.faults?.(visit, typed, t) ?? []), ...faultsIn(visit, t, fields, typed)]);
    },
    act: async (visit) => {
      const of = await opened(visit);
      const run = async (submission: { readonly submissionId?: string }): Promise<FastifyReply> => {
        const outcome = await act(visit, new Sent(visit, of.fields, { ...of, submission }));
        if (typeof outcome === "string") return visit.goTo(visit.path(outcome));
        return await visit.show(oncePage(visit, section, outcome));
      };
      return onlyOnce ? await showOnce(visit, section, run) : await run({});
    },
    refused: async (visit, problems) =>
      await visit.show(await show(visit, problems, Typed.sent(visit)), PROBLEM_STATUS),
  });
}

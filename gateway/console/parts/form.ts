import { html, type Html } from "../../pages/html.ts";
import { TOKEN_FIELD } from "../form-token.ts";
import type { Problems } from "../problems.ts";
import type { Guest } from "../visit.ts";

const NO_LABELS: ReadonlyMap<string, undefined> = new Map();

/** Returns the hidden field with the form's token. Forms without it are refused. */
export function hiddenToken(guest: Guest): Html {
  return html`<input type="hidden" name="${TOKEN_FIELD}" value="${guest.newFormToken()}" />`;
}

/** Returns hidden fields of the values that are not empty. */
export function hiddenFields(values: Readonly<Record<string, string>>): Html {
  const given = Object.entries(values).filter(([, value]) => value !== "");
  return html`${given.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}`;
}

/** Returns a form for a change. */
export function postForm(guest: Guest, action: string, content: Html): Html {
  return html`<form method="post" action="${action}" novalidate>${hiddenToken(guest)} ${content}</form>`;
}

/** Returns a form with one button. A script asks `question` before it is sent. */
export function buttonForm(
  guest: Guest,
  action: string,
  label: string,
  options: {
    readonly kind?: "primary" | "plain" | "danger";
    readonly question?: string;
    readonly hidden?: Readonly<Record<string, string>>;
  } = {},
): Html {
  const { kind = "plain", question, hidden = {} } = options;
  return html`<form method="post" action="${action}">
    ${hiddenToken(guest)} ${hiddenFields(hidden)}
    <button class="${kind}" ${question ? html` data-confirm="${question}"` : ""}>${label}</button>
  </form>`;
}

/** Returns the list of problems above a form, with a link to each field, named where `labels` has its label. */
export function problemList(
  guest: Guest,
  problems: Problems,
  labels: ReadonlyMap<string, string | undefined> = NO_LABELS,
): Html | "" {
  if (problems.size === 0) return "";
  const items = [...problems].map(([field, text]) => {
    if (field === "") return html`<li>${text}</li>`;
    const label = labels.get(field);
    return html`<li>
      <a href="#${fieldId(field)}">${label === undefined ? text : `${label}: ${text}`}</a>
    </li>`;
  });
  return html`<div class="problems" id="problems" tabindex="-1" role="alert">
    <p><strong>${guest.t("problems")}</strong></p>
    <ul>
      ${items}
    </ul>
  </div>`;
}

/** The parts of a field apart from its value. */
export interface FieldParts {
  readonly name: string;
  readonly label: string;
  readonly help?: string;
  readonly problems: Problems;
}

export interface InputParts extends FieldParts {
  readonly value?: string;
  readonly type?: "text" | "email" | "password" | "number" | "date" | "search" | "url" | "month";
  readonly autocomplete?: string;
  readonly inputmode?: "numeric" | "decimal" | "text";
  readonly isRequired?: boolean;
  readonly maxLength?: number;
  readonly min?: string;
  readonly max?: string;
  /** More attributes, such as htmx's: html`data-hx-get="…"`. */
  readonly attributes?: Html;
}

export function inputField(parts: InputParts): Html {
  const {
    name,
    value = "",
    type = "text",
    autocomplete = "off",
    inputmode,
    isRequired,
    maxLength,
    min,
    max,
  } = parts;
  return labelled(
    parts,
    html`<input
      id="${fieldId(name)}"
      name="${name}"
      type="${type}"
      value="${value}"
      autocomplete="${autocomplete}"
      ${inputmode ? html` inputmode="${inputmode}"` : ""}
      ${isRequired ? html` required` : ""}
      ${maxLength ? html` maxlength="${maxLength}"` : ""}
      ${min ? html` min="${min}"` : ""}
      ${max ? html` max="${max}"` : ""}
      ${described(parts)}
      ${parts.attributes ?? ""}
    />`,
  );
}

/** Returns the field of a colour, "#rrggbb" or empty. A script adds a picker beside the text, which `pick` names. */
export function colorField(parts: FieldParts & { readonly value: string; readonly pick: string }): Html {
  const { name, value, pick } = parts;
  return html`<div class="color">
    ${inputField(parts)}
    <input
      type="color"
      data-color-of="${fieldId(name)}"
      value="${value || "#0d3b32"}"
      aria-label="${pick}"
      hidden
    />
  </div>`;
}

/** Returns the field of a file. The form's token must come before it. */
export function fileField(parts: FieldParts & { readonly accept: string }): Html {
  const { name, accept } = parts;
  return labelled(
    parts,
    html`<input id="${fieldId(name)}" name="${name}" type="file" accept="${accept}" ${described(parts)} />`,
  );
}

/** Returns the fields for the first and last day of a period, side by side. */
export function periodFields(from: InputParts, to: InputParts): Html {
  const day = (parts: InputParts): Html => inputField({ ...parts, type: "date" });
  return html`<div class="period">${day(from)} ${day(to)}</div>`;
}

export function textField(
  parts: FieldParts & { readonly value?: string; readonly rows?: number; readonly attributes?: Html },
): Html {
  const { name, value = "", rows = 3 } = parts;
  return labelled(
    parts,
    html`<textarea
      id="${fieldId(name)}"
      name="${name}"
      rows="${rows}"
      ${described(parts)}
      ${parts.attributes ?? ""}
    >
${value}</textarea>`,
  );
}

/** A value and its text. */
export type Option = readonly [value: string, text: string];

export function selectField(
  parts: FieldParts & {
    readonly options: readonly Option[];
    readonly value?: string;
    readonly attributes?: Html;
  },
): Html {
  const { name, options, value } = parts;
  return labelled(
    parts,
    html`<select id="${fieldId(name)}" name="${name}" ${described(parts)} ${parts.attributes ?? ""}>
      ${options.map(([key, text]) => html`<option value="${key}" ${key === value ? html` selected` : ""}>${text}</option>`)}
    </select>`,
  );
}

/** Returns check boxes of one name, or radio buttons. */
export function choiceField(
  parts: FieldParts & {
    readonly kind: "checkbox" | "radio";
    readonly options: readonly Option[];
    readonly chosen: readonly string[];
    readonly attributes?: Html;
  },
): Html {
  const { name, label, help, problems, kind, options, chosen } = parts;
  const problem = problems.get(name);
  return html`<fieldset class="choices" id="${fieldId(name)}" ${described(parts)}>
    <legend>${label}</legend>
    ${options.map(
      ([key, text]) =>
        html`<label class="choice">
          <input
            type="${kind}"
            name="${name}"
            value="${key}"
            ${chosen.includes(key) ? html` checked` : ""}
            ${parts.attributes ?? ""}
          />
          <span>${text}</span>
        </label>`,
    )}
    ${help ? html`<p class="quiet" id="${fieldId(name)}-help">${help}</p>` : ""}
    ${problem ? html`<p class="problem" id="${fieldId(name)}-problem">${problem}</p>` : ""}
  </fieldset>`;
}

/** Returns the field for the user's own password, which an `isConfirmed` change needs. */
export function passwordField(guest: Guest, problems: Problems): Html {
  return inputField({
    name: "password",
    type: "password",
    label: guest.t("your_password"),
    help: guest.t("your_password_help"),
    autocomplete: "current-password",
    isRequired: true,
    problems,
  });
}

export function fieldId(name: string): string {
  return `field-${name.replaceAll(/[^\w-]/g, "-")}`;
}

function labelled({ name, label, help, problems }: FieldParts, control: Html): Html {
  const problem = problems.get(name);
  return html`<div class="field">
    <label for="${fieldId(name)}">${label}</label>
    ${control} ${help ? html`<p class="quiet" id="${fieldId(name)}-help">${help}</p>` : ""}
    ${problem ? html`<p class="problem" id="${fieldId(name)}-problem">${problem}</p>` : ""}
  </div>`;
}

function described({ name, help, problems }: FieldParts): Html | "" {
  const id = fieldId(name);
  const texts = [...(help ? [`${id}-help`] : []), ...(problems.has(name) ? [`${id}-problem`] : [])];
  if (texts.length === 0) return "";
  const invalid = problems.has(name) ? html` aria-invalid="true"` : "";
  return html` aria-describedby="${texts.join(" ")}"${invalid}`;
}

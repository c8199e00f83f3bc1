import {
  ProviderSettingKind,
  type Provider,
  type ProviderSetting,
  type ProviderText,
} from "../../../gen/paylink/providers/v1/providers_pb.ts";
import type { DeclaredField, Field, Text } from "../form/field.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import type { MessageKey, Translate } from "./messages.ts";

const PARAM = "settings.";

const PROBLEMS: Readonly<Partial<Record<ProviderSettingKind, MessageKey>>> = {
  [ProviderSettingKind.FILE]: "bad_file",
  [ProviderSettingKind.ADDRESS]: "bad_address",
};

/** Returns the fields of a provider's settings, as the core describes them. */
export function settingFields(
  { language }: Visit,
  { settings }: Provider,
): ReadonlyMap<string, DeclaredField<MessageKey>> {
  const textOf = (text: ProviderText | undefined): string => (language === "en" ? text?.en : text?.pt) ?? "";
  return new Map(
    settings.map((setting) => {
      const { name, isRequired, maxLength, help } = setting;
      const texts = {
        label: { text: textOf(setting.label) },
        ...(help ? { help: { text: textOf(help) } } : {}),
      };
      const limits = { isRequired, numbers: { maxLength }, isEmail: false };
      return [name, { field: fieldOf(setting, texts, textOf), limits }];
    }),
  );
}

function fieldOf(
  { kind, isSecret, isRequired, options }: ProviderSetting,
  texts: { readonly label: Text<MessageKey>; readonly help?: Text<MessageKey> },
  textOf: (text: ProviderText | undefined) => string,
): Field<MessageKey> {
  if (kind === ProviderSettingKind.CHOICE) {
    const all = options.map(({ value, label }) => [value, textOf(label)] as const);
    return { ...texts, kind: "select", options: () => (isRequired ? all : [["", ""], ...all]) };
  }
  const hasLines = kind === ProviderSettingKind.FILE;
  if (isSecret) return { ...texts, kind: "secret", hasLines };
  if (hasLines) return { ...texts, kind: "lines" };
  return { ...texts, kind: kind === ProviderSettingKind.ADDRESS ? "url" : "text" };
}

/** Returns the settings that were sent, without those that are empty. */
export function settingsIn(
  { settings }: Provider,
  sent: { text(name: string): string },
): Record<string, string> {
  const given = settings.map(({ name }) => [name, sent.text(name)] as const);
  return Object.fromEntries(given.filter(([, text]) => text !== ""));
}

/** Returns the problems by the form's fields: the core names those of its request. */
export function settingProblems(t: Translate, problems: Problems, { settings }: Provider): Problems {
  return new Map(
    [...problems].map(([param, text]) => {
      if (!param.startsWith(PARAM)) return [param, text];
      const name = param.slice(PARAM.length);
      const kind = settings.find((setting) => setting.name === name)?.kind;
      return [name, t((kind !== undefined && PROBLEMS[kind]) || "bad_field")];
    }),
  );
}

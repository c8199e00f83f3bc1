import { wordsOf } from "../../../contract/enum-words.ts";
import {
  DayState,
  DifferenceKind,
  Leg,
  LineKind,
  MatchRule,
  Side,
} from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { messagesIn as reconciliationMessagesIn } from "../reconciliation/messages.ts";
import { messagesIn } from "./messages.ts";
import type { Word } from "./values.ts";

const states = wordsOf(DayState);
const kinds = wordsOf(LineKind);
const rules = wordsOf(MatchRule);
const sides = wordsOf(Side);
const legs = wordsOf(Leg);
const differenceKinds = wordsOf(DifferenceKind);

export function stateWord(state: DayState): Word {
  const code = states.wordOf(state) ?? "open";
  return { code, text: (language) => reconciliationMessagesIn(language)(`state_${code}`) };
}

export function kindWord(kind: LineKind | undefined): Word | undefined {
  const code = kinds.wordOf(kind);
  return code && { code, text: (language) => reconciliationMessagesIn(language)(`kind_${code}`) };
}

export function ruleWord(rule: MatchRule | undefined): Word | undefined {
  const code = rules.wordOf(rule);
  return code && { code, text: (language) => reconciliationMessagesIn(language)(`rule_${code}`) };
}

export function sideWord(side: Side): Word {
  const code = sides.wordOf(side) ?? "theirs";
  return { code, text: (language) => reconciliationMessagesIn(language)(code) };
}

export function legWord(leg: Leg): Word {
  const code = legs.wordOf(leg) ?? "books";
  return { code, text: (language) => reconciliationMessagesIn(language)(`${code}_leg`) };
}

export function differenceWord(kind: DifferenceKind): Word | undefined {
  const code = differenceKinds.wordOf(kind);
  return code && { code, text: (language) => messagesIn(language)(`difference_${code}`) };
}

export function yesOrNo(value: boolean | undefined): Word | undefined {
  if (value === undefined) return undefined;
  const code = value ? "yes" : "no";
  return { code, text: (language) => reconciliationMessagesIn(language)(code) };
}

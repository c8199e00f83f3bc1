import { speaker, type Say as SayOf } from "../../pages/speaker.ts";
import type { Language } from "../../pages/language.ts";

const portuguese = {
  title: "Auditoria",
  lead: "Quem mudou o quê, viu dados de um pagador ou baixou um arquivo, e quando. Nada aqui pode ser mudado nem apagado. Mostra o que é do ambiente de {mode} e o que vale para os dois.",
  from: "De",
  to: "Até",
  actor: "Quem",
  action: "O quê",
  filter: "Filtrar",
  clear: "Limpar filtro",
  when: "Quando",
  object: "Em quê",
  details: "Detalhes",
  origin: "De onde",
  show: "Ver",
  anybody: "Qualquer um",
  anything: "Qualquer coisa",
  kind_user: "Pessoas",
  kind_core_token: "Sistemas internos",
  kind_command_line: "Linha de comando",
  kind_core: "Serviço",
  only_this: "Só de {name}",
  empty: "Nada aconteceu nestes dias com este filtro. Mude as datas ou limpe o filtro.",
  bad_days: "A primeira data precisa ser um dia do calendário, antes da última ou igual.",
  csv: "Baixar CSV",
  jsonl: "Baixar JSON por linha",
  both: "os dois ambientes",
  both_modes: "Vale para os dois ambientes",
} as const;

type Word = keyof typeof portuguese;
export type Say = SayOf<Word>;

const english: Readonly<Record<Word, string>> = {
  title: "Audit log",
  lead: "Who changed what, was shown a payer's data or took an export, and when. Nothing here can be changed or deleted. It shows what is of the {mode} environment and what holds for both.",
  from: "From",
  to: "To",
  actor: "Who",
  action: "What",
  filter: "Filter",
  clear: "Clear filter",
  when: "When",
  object: "On what",
  details: "Details",
  origin: "Where from",
  show: "Show",
  anybody: "Anybody",
  anything: "Anything",
  kind_user: "People",
  kind_core_token: "Internal systems",
  kind_command_line: "Command line",
  kind_core: "Service",
  only_this: "Only {name}",
  empty: "Nothing happened on these days with this filter. Change the dates or clear the filter.",
  bad_days: "The first date must be a day of the calendar, not after the last.",
  csv: "Download CSV",
  jsonl: "Download JSON lines",
  both: "both environments",
  both_modes: "Holds for both environments",
};

export function sayIn(language: Language): Say {
  return speaker({ "pt-BR": portuguese, en: english }, language);
}

import { messages } from "../../pages/messages.ts";

export const messagesIn = messages({
  title: ["Auditoria", "Audit log"],
  lead: [
    "Quem mudou o quê, viu dados de um pagador ou baixou um arquivo, e quando. Nada aqui pode ser mudado nem apagado. Mostra o que é do ambiente de {mode} e o que vale para os dois.",
    "Who changed what, was shown a payer's data or took an export, and when. Nothing here can be changed or deleted. It shows what is of the {mode} environment and what holds for both.",
  ],
  from: ["De", "From"],
  to: ["Até", "To"],
  actor: ["Quem", "Who"],
  action: ["O quê", "What"],
  when: ["Quando", "When"],
  object: ["Em quê", "On what"],
  details: ["Detalhes", "Details"],
  origin: ["De onde", "Where from"],
  show: ["Ver", "Show"],
  anybody: ["Qualquer um", "Anyone"],
  anything: ["Qualquer coisa", "Anything"],
  kind_user: ["Pessoas", "People"],
  kind_core_token: ["Sistemas internos", "Internal systems"],
  kind_command_line: ["Linha de comando", "Command line"],
  kind_core: ["Serviço", "Service"],
  kind_api_key: ["Chaves de API", "API keys"],
  only_this: ["Só de {name}", "Only {name}"],
  empty: [
    "Nada aconteceu nestes dias com este filtro. Mude as datas ou limpe o filtro.",
    "Nothing happened on these days with this filter. Change the dates or clear the filter.",
  ],
  bad_days: [
    "A primeira data precisa ser um dia do calendário, antes da última ou igual.",
    "The first date must be a day of the calendar, not after the last.",
  ],
  csv: ["Baixar CSV", "Download CSV"],
  jsonl: ["Baixar JSON Lines", "Download JSON Lines"],
  both: ["os dois ambientes", "both environments"],
  both_modes: ["Vale para os dois ambientes", "Holds for both environments"],
});

export type Translate = ReturnType<typeof messagesIn>;

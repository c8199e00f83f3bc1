import { messages } from "../../pages/messages.ts";

export const messagesIn = messages({
  day: ["Dia", "Day"],
  values: ["Valores do gráfico", "Values of the chart"],
});

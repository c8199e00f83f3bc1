import type { Language } from "../../pages/language.ts";
import { speaker, type Say as SayOf } from "../../pages/speaker.ts";

const portuguese = {
  title: "Imagens",
  lead: "As fotos dos seus produtos, para mostrar a quem paga. Envie aqui e copie o endereço, ou escolha ao criar um link.",
  upload: "Enviar imagem",
  file: "Arquivo da imagem",
  file_help:
    "PNG, JPEG ou WebP de até 3 MB. Tiramos local e outros dados escondidos da foto e ajustamos a até 1600 pixels.",
  no_file: "Escolha um arquivo.",
  too_large: "O arquivo tem {size}. Envie um de até 3 MB.",
  saved: "Imagem salva. O endereço dela está pronto para copiar.",
  hidden: "A imagem saiu desta lista. Nos links que já a usam ela continua aparecendo.",
  gallery: "Suas imagens",
  empty: "Ainda não há imagens. Envie a primeira acima.",
  size: "{width} × {height} pixels, {size}",
  address: "Endereço de {name}",
  unnamed: "sem nome",
  hide: "Ocultar",
  hide_named: "Ocultar {name}",
  hide_question: "Ocultar {name} desta lista? Nos links que já a usam ela continua aparecendo.",
  pick: "Imagens",
  pick_help: "Até {max}. Para enviar outra, abra {page}.",
  pick_empty: "Ainda não há imagens. Envie em {page}.",
} as const;

type Word = keyof typeof portuguese;

const english: Readonly<Record<Word, string>> = {
  title: "Pictures",
  lead: "Your products' pictures, to show to whoever pays. Upload them here and copy their address, or pick them when you make a link.",
  upload: "Upload picture",
  file: "Picture file",
  file_help:
    "PNG, JPEG or WebP of up to 3 MB. Place and other hidden data are taken out, and it is made to fit 1600 pixels.",
  no_file: "Choose a file.",
  too_large: "The file has {size}. Send one of up to 3 MB.",
  saved: "Picture saved. Its address is ready to copy.",
  hidden: "The picture left this list. Links that use it already go on showing it.",
  gallery: "Your pictures",
  empty: "There are no pictures yet. Upload the first one above.",
  size: "{width} × {height} pixels, {size}",
  address: "Address of {name}",
  unnamed: "unnamed",
  hide: "Hide",
  hide_named: "Hide {name}",
  hide_question: "Hide {name} from this list? Links that use it already go on showing it.",
  pick: "Pictures",
  pick_help: "Up to {max}. To upload another one, open {page}.",
  pick_empty: "There are no pictures yet. Upload some at {page}.",
};

export type Say = SayOf<Word>;

export function sayIn(language: Language): Say {
  return speaker({ "pt-BR": portuguese, en: english }, language);
}

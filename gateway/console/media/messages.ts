import { messages } from "../../pages/messages.ts";

export const messagesIn = messages({
  title: ["Imagens", "Pictures"],
  lead: [
    "As fotos dos seus produtos, para mostrar a quem paga. Envie aqui e copie o endereço, ou escolha ao criar um link.",
    "Your products' pictures, to show to payers. Upload them here and copy their address, or pick them when you make a link.",
  ],
  upload: ["Enviar imagem", "Upload picture"],
  file: ["Arquivo da imagem", "Picture file"],
  file_help: [
    "PNG, JPEG ou WebP de até 3 MB. Tiramos local e outros dados escondidos da foto e ajustamos a até 1600 pixels.",
    "PNG, JPEG or WebP of up to 3 MB. Location and other hidden data are taken out, and it is made to fit 1600 pixels.",
  ],
  no_file: ["Escolha um arquivo.", "Choose a file."],
  too_large: ["O arquivo tem {size}. Envie um de até 3 MB.", "The file has {size}. Send one of up to 3 MB."],
  saved: [
    "Imagem salva. O endereço dela está pronto para copiar.",
    "Picture saved. Its address is ready to copy.",
  ],
  hidden: [
    "A imagem saiu desta lista. Nos links que já a usam ela continua aparecendo.",
    "The picture left this list. Links that use it already go on showing it.",
  ],
  gallery: ["Suas imagens", "Your pictures"],
  empty: [
    "Ainda não há imagens. Envie a primeira acima.",
    "There are no pictures yet. Upload the first one above.",
  ],
  size: ["{width} × {height} pixels, {size}", "{width} × {height} pixels, {size}"],
  address: ["Endereço de {name}", "Address of {name}"],
  unnamed: ["sem nome", "unnamed"],
  hide: ["Ocultar", "Hide"],
  hide_question: [
    "Ocultar {name} desta lista? Nos links que já a usam ela continua aparecendo.",
    "Hide {name} from this list? Links that use it already go on showing it.",
  ],
  pick: ["Imagens", "Pictures"],
  pick_help: [
    "Até {max}. Para enviar outra, abra {page}.",
    "Up to {max}. To upload another one, open {page}.",
  ],
  pick_empty: ["Ainda não há imagens. Envie em {page}.", "There are no pictures yet. Upload some at {page}."],
});

export type Translate = ReturnType<typeof messagesIn>;

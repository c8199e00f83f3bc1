/** The messages of the fields that a payer fills in. */
export const PAYER_MESSAGES = {
  your_details: ["Seus dados", "Your details"],
  details_given: [
    "Os dados que você informou antes serão usados de novo.",
    "The details that you gave before will be used again.",
  ],
  details_others: ["Informar outros dados", "Enter other details"],
  phone: ["Telefone com DDD", "Telephone"],
  phone_help: [
    "Exemplo: (11) 91234-5678. De outro país, comece com +.",
    "A number without a country code is Brazilian. From elsewhere, begin with +.",
  ],
  address: ["Endereço", "Address"],
  postal_code: ["CEP", "Postal code (CEP)"],
  street: ["Rua", "Street"],
  number: ["Número", "Number"],
  complement: ["Complemento (opcional)", "Flat or unit (optional)"],
  district: ["Bairro", "District"],
  city: ["Cidade", "City"],
  state: ["Estado", "State"],
  state_choose: ["Escolha", "Choose"],
  field_required: ["Confira este campo.", "Check this field."],
  errors_title: ["Confira o que falta:", "Check what is missing:"],
  card_number_refused: [
    "Não digite números de cartão nesta página.",
    "Do not type card numbers on this page.",
  ],
} as const;

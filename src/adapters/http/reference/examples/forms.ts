import { idOf, instant } from "../Samples.ts"
import { donor } from "./donors.ts"
import { type Examples, later, page } from "./Example.ts"

const newForm = {
  name: "Spring appeal",
  title: "Give to the spring appeal",
  description: "A warm bed for everyone who needs one.",
  suggested_amounts_cents: [2_500, 5_000, 10_000],
  minimum_amount_cents: 500,
  recurring_frequencies: ["MONTHLY", "ANNUALLY"],
  revenue_code: "SPRING-2026"
}

const form = {
  ...newForm,
  id: idOf("donationForm"),
  slug: "spring-appeal",
  hosted_page_url: "https://riverside.example.org/f/spring-appeal",
  status: "DRAFT",
  thank_you_message: null,
  disclaimer_text: null,
  allow_custom_amount: true,
  default_amount_cents: null,
  maximum_amount_cents: null,
  allow_recurring: true,
  default_cadence: "ONE_TIME",
  address_visibility: "NONE",
  phone_visibility: "OPTIONAL",
  revenue_code_id: idOf("revenueCode"),
  embed_token: "5xWbVq2kTz8NfYh3JmRc7D",
  created_at: instant,
  updated_at: instant,
  archived_at: null
}

const active = { ...form, status: "ACTIVE", updated_at: later }

const token = `v1.a1.${donor.id}.1.mnfr8x30.RgE7Q2mXcJ0uVd9sKp4TzLwYb6NhAf1iOe3BqD8rUxC`

export const formExamples = {
  "forms.create": { request: newForm, answer: form },
  "forms.list": { answer: page(form) },
  "forms.read": { answer: form },
  "forms.update": {
    request: { status: "ACTIVE", thank_you_message: "Thank you!" },
    answer: { ...active, thank_you_message: "Thank you!" }
  },
  "forms.archive": { answer: { ...active, status: "ARCHIVED", archived_at: later } },
  "forms.mint_link": {
    request: { donor_id: donor.id },
    answer: {
      url: `${form.hosted_page_url}?dt=${token}`,
      donor_id: donor.id,
      form_id: form.id,
      expires_at: "2026-05-01T02:30:00.000Z"
    }
  }
} satisfies Examples

import { HttpApiGroup, OpenApi } from "effect/http-api"
import { donationFormOperations } from "../../../../app/giving/DonationForms.ts"
import { personalisedLinkOperations } from "../../../../app/sharing/PersonalisedLinks.ts"
import { Limits } from "../../../../domain/kernel/Limits.ts"
import { del, get, patch, post } from "../Declare.ts"
import { idOf, instant, later, page } from "../Example.ts"
import { exampleDonor } from "./donors.ts"

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
  allow_custom_amount: true,
  allow_recurring: true,
  default_cadence: "ONE_TIME",
  address_visibility: "NONE",
  phone_visibility: "OPTIONAL",
  revenue_code_id: idOf("revenueCode"),
  embed_token: "5xWbVq2kTz8NfYh3JmRc7D",
  created_at: instant,
  updated_at: instant
}

const active = { ...form, status: "ACTIVE", updated_at: later }

const token = `v1.a1.${exampleDonor.id}.1.mnfr8x30.RgE7Q2mXcJ0uVd9sKp4TzLwYb6NhAf1iOe3BqD8rUxC`

export class DonationFormsGroup extends HttpApiGroup.make("forms")
  .add(
    post(donationFormOperations.create, "create", "/forms", {
      status: 201,
      description:
        "A draft, or ACTIVE at once. The slug is made from the name, with a number where another form has it; it follows the name until the form is first ACTIVE.",
      example: { request: newForm, answer: form }
    }),
    get(donationFormOperations.list, "list", "/forms", {
      description: "Newest first, without archived ones unless archived=true.",
      example: { answer: page(form) }
    }),
    get(donationFormOperations.read, "read", "/forms/:id", {
      description: "Archived forms can be read, too.",
      example: { answer: form }
    }),
    patch(donationFormOperations.update, "update", "/forms/:id", {
      description:
        "An absent field stays; null clears one that may be null. status moves the form: DRAFT to ACTIVE, ACTIVE to PAUSED and back, and any to ARCHIVED, for good.",
      example: {
        request: { status: "ACTIVE", thank_you_message: "Thank you!" },
        answer: { ...active, thank_you_message: "Thank you!" }
      }
    }),
    del(donationFormOperations.archive, "archive", "/forms/:id", {
      description: "Its page takes no more gifts. It keeps its slug. A repetition answers the same record.",
      example: { answer: { ...active, status: "ARCHIVED", archived_at: later } }
    }),
    post(personalisedLinkOperations.mintForForm, "mintLink", "/forms/:id/personalised-links", {
      status: 201,
      description: `The link is good for ${Limits.personalisedLinkDays} days and any number of visits, until the donor is archived, merged or edited. The address is a live credential: give it to this donor alone.`,
      example: {
        request: { donor_id: exampleDonor.id },
        answer: {
          url: `${form.hosted_page_url}?dt=${token}`,
          donor_id: exampleDonor.id,
          form_id: form.id,
          expires_at: "2026-05-01T02:30:00.000Z"
        }
      }
    })
  )
  .annotate(OpenApi.Description, "Pages that donors give through.") {}

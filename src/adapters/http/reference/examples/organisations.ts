import { idOf, instant } from "../Samples.ts"
import { type Examples, page } from "./Example.ts"

export const organisation = {
  id: idOf("organisation"),
  slug: "riverside",
  name: "Riverside Shelter",
  is_sandbox: false,
  timezone: "Australia/Sydney",
  default_currency: "AUD",
  abn: null,
  website_url: "https://riverside.example.org",
  created_at: instant
}

const linked = {
  id: idOf("organisation"),
  name: "Harbour Food Bank",
  slug: "harbour-food-bank",
  abn: "53004085616",
  website_url: null,
  is_sandbox: false,
  recipient_org_account_link_ids: [idOf("recipientAccountLink")]
}

export const organisationExamples = {
  "organisations.read_own": { answer: organisation },
  "organisations.update_own": { request: { abn: "51824753556" }, answer: { ...organisation, abn: "51824753556" } },
  "organisations.list": { answer: page(linked) },
  "organisations.read": { answer: linked }
} satisfies Examples

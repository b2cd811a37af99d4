import { HttpApiGroup, OpenApi } from "effect/http-api"
import { organisationOperations } from "../../../../app/access/Organisations.ts"
import { get, patch } from "../Declare.ts"
import { idOf, instant, page } from "../Example.ts"

export const exampleOrganisation = {
  id: idOf("organisation"),
  slug: "riverside",
  name: "Riverside Shelter",
  is_sandbox: false,
  timezone: "Australia/Sydney",
  default_currency: "AUD",
  website_url: "https://riverside.example.org",
  created_at: instant
}

const linked = {
  id: idOf("organisation"),
  name: "Harbour Food Bank",
  slug: "harbour-food-bank",
  abn: "53004085616",
  is_sandbox: false,
  recipient_org_account_link_ids: [idOf("recipientAccountLink")]
}

export class OrganisationsGroup extends HttpApiGroup.make("organisations")
  .add(
    get(organisationOperations.readOwn, "readOwn", "/organisations/me", {
      description: "Answers the organisation that the key belongs to.",
      example: { answer: exampleOrganisation }
    }),
    patch(organisationOperations.updateOwn, "updateOwn", "/organisations/me", {
      description:
        "Changes name, timezone, ABN or website. A new timezone moves no gift: gifts keep the calendar day that they were given.",
      example: { request: { abn: "51824753556" }, answer: { ...exampleOrganisation, abn: "51824753556" } }
    }),
    get(organisationOperations.list, "list", "/organisations", {
      description:
        "The recipients that the key's organisation has active links to, the youngest organisation first. A deactivated link does not count.",
      example: { answer: page(linked) }
    }),
    get(organisationOperations.read, "read", "/organisations/:id", {
      description:
        "An organisation that the key's organisation has no active link to is not found, and neither is its own.",
      example: { answer: linked }
    })
  )
  .annotate(OpenApi.Description, "The organisation that a key belongs to, and those it is linked with.") {}

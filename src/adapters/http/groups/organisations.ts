import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { OrganisationPatch, OwnOrganisation } from "../../../domain/Organisation.ts"
import { performs } from "../Declare.ts"
import { createErrors, listErrors } from "../ErrorEnvelope.ts"

export class OrganisationsGroup extends HttpApiGroup.make("organisations")
  .add(
    HttpApiEndpoint.get("readOwn", "/organisations/me", { success: OwnOrganisation, error: listErrors }).annotateMerge(
      performs("organisations.read_own", {
        summary: "Read the key's organisation",
        description: "Answers the organisation that the key belongs to."
      })
    )
  )
  .add(
    HttpApiEndpoint.patch("updateOwn", "/organisations/me", {
      payload: OrganisationPatch,
      success: OwnOrganisation,
      error: createErrors
    }).annotateMerge(
      performs("organisations.update_own", {
        summary: "Change the key's organisation",
        description:
          "Changes name, timezone, ABN or website. A new timezone moves no gift: gifts keep the calendar day that they were given.",
        writes: OwnOrganisation
      })
    )
  )
  .annotate(OpenApi.Description, "The organisation that a key belongs to.") {}

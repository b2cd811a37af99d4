import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { donationFormOperations } from "../../../../app/giving/operations/donationForms.ts"
import { personalisedLinkOperations } from "../../../../app/sharing/operations/personalisedLinks.ts"
import { DonationFormRecord } from "../../../../domain/giving/DonationForm.ts"
import { Limits } from "../../../../domain/kernel/Limits.ts"
import { PersonalisedFormLink } from "../../../../domain/sharing/PersonalisedLink.ts"
import { changeErrors, createErrors, listErrors, readErrors } from "../../pipeline/ErrorEnvelope.ts"
import { over, pageOf, performs } from "../Declare.ts"

export class DonationFormsGroup extends HttpApiGroup.make("forms")
  .add(
    HttpApiEndpoint.post("create", "/forms", {
      ...over(donationFormOperations.create),
      success: DonationFormRecord.pipe(HttpApiSchema.status(201)),
      error: createErrors
    }).annotateMerge(
      performs(donationFormOperations.create, {
        summary: "Make a form",
        description:
          "A draft, or ACTIVE at once. The slug is made from the name, with a number where another form has it; it follows the name until the form is first ACTIVE."
      })
    )
  )
  .add(
    HttpApiEndpoint.get("list", "/forms", {
      ...over(donationFormOperations.list),
      success: pageOf(DonationFormRecord, "DonationFormPage"),
      error: listErrors
    }).annotateMerge(
      performs(donationFormOperations.list, {
        summary: "List forms",
        description: "Newest first, without archived ones unless archived=true."
      })
    )
  )
  .add(
    HttpApiEndpoint.get("read", "/forms/:id", {
      ...over(donationFormOperations.read, "id"),
      success: DonationFormRecord,
      error: readErrors
    }).annotateMerge(
      performs(donationFormOperations.read, { summary: "Read a form", description: "Archived forms can be read, too." })
    )
  )
  .add(
    HttpApiEndpoint.patch("update", "/forms/:id", {
      ...over(donationFormOperations.update, "id"),
      success: DonationFormRecord,
      error: changeErrors
    }).annotateMerge(
      performs(donationFormOperations.update, {
        summary: "Change a form",
        description:
          "An absent field stays; null clears one that may be null. status moves the form: DRAFT to ACTIVE, ACTIVE to PAUSED and back, and any to ARCHIVED, for good."
      })
    )
  )
  .add(
    HttpApiEndpoint.delete("archive", "/forms/:id", {
      ...over(donationFormOperations.archive, "id"),
      success: DonationFormRecord,
      error: readErrors
    }).annotateMerge(
      performs(donationFormOperations.archive, {
        summary: "Archive a form",
        description: "Its page takes no more gifts. It keeps its slug. A repetition answers the same record."
      })
    )
  )
  .add(
    HttpApiEndpoint.post("mintLink", "/forms/:id/personalised-links", {
      ...over(personalisedLinkOperations.mintForForm, "id"),
      success: PersonalisedFormLink.pipe(HttpApiSchema.status(201)),
      error: changeErrors
    }).annotateMerge(
      performs(personalisedLinkOperations.mintForForm, {
        summary: "Mint a donor's own link to a form",
        description: `The link is good for ${Limits.personalisedLinkDays} days and any number of visits, until the donor is archived, merged or edited. The address is a live credential: give it to this donor alone.`,
        secret: true
      })
    )
  )
  .annotate(OpenApi.Description, "Pages that donors give through.") {}

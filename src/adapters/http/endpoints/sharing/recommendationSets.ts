import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { personalisedLinkOperations } from "../../../../app/sharing/operations/personalisedLinks.ts"
import { recommendationSetOperations } from "../../../../app/sharing/operations/recommendationSets.ts"
import { Limits } from "../../../../domain/kernel/Limits.ts"
import * as Payment from "../../../../domain/sharing/Payment.ts"
import { PersonalisedSetLink } from "../../../../domain/sharing/PersonalisedLink.ts"
import { RecommendationSetDetail, RecommendationSetRecord } from "../../../../domain/sharing/RecommendationSet.ts"
import { changeErrors, createErrors, listErrors, readErrors } from "../../pipeline/ErrorEnvelope.ts"
import { over, pageOf, performs } from "../Declare.ts"

const collection = "/recommendation-sets"
const one = "/recommendation-sets/:id"

export class RecommendationSetsGroup extends HttpApiGroup.make("recommendation-sets")
  .add(
    HttpApiEndpoint.post("create", collection, {
      ...over(recommendationSetOperations.create),
      success: RecommendationSetDetail.pipe(HttpApiSchema.status(201)),
      error: createErrors
    }).annotateMerge(
      performs(recommendationSetOperations.create, {
        summary: "Make a recommendation set",
        description: `Each allocation names an active linked recipient account, once; donors see them in this order. Amounts are in the organisation's default currency: at least 1 in a set that is FIXED or SUGGESTED, 0 in one that is OPEN.

A link that is unknown, another organisation's or inactive is \`invalid_request\`, and nothing is written. There are at most ${Limits.setAllocations} allocations.`
      })
    )
  )
  .add(
    HttpApiEndpoint.get("list", collection, {
      ...over(recommendationSetOperations.list),
      success: pageOf(RecommendationSetRecord, "RecommendationSetPage"),
      error: listErrors
    }).annotateMerge(
      performs(recommendationSetOperations.list, {
        summary: "List recommendation sets",
        description: "Newest first. Deactivated and expired sets stay listed."
      })
    )
  )
  .add(
    HttpApiEndpoint.get("read", one, {
      ...over(recommendationSetOperations.read, "id"),
      success: RecommendationSetDetail,
      error: readErrors
    }).annotateMerge(
      performs(recommendationSetOperations.read, {
        summary: "Read a recommendation set",
        description: "With its allocations, its donor-facing address and totals over all of its payments."
      })
    )
  )
  .add(
    HttpApiEndpoint.patch("update", one, {
      ...over(recommendationSetOperations.update, "id"),
      success: RecommendationSetDetail,
      error: changeErrors
    }).annotateMerge(
      performs(recommendationSetOperations.update, {
        summary: "Change a recommendation set",
        description:
          "An absent field stays; null clears it. Allocations are replaced whole and get new ids; payments that were made keep theirs. is_active switches a set off, and a deactivated one on again."
      })
    )
  )
  .add(
    HttpApiEndpoint.delete("archive", one, {
      ...over(recommendationSetOperations.archive, "id"),
      success: RecommendationSetDetail,
      error: readErrors
    }).annotateMerge(
      performs(recommendationSetOperations.archive, {
        summary: "Archive a recommendation set",
        description: "Nothing is erased. A repetition answers the same record and emits the event again."
      })
    )
  )
  .add(
    HttpApiEndpoint.post("deactivate", "/recommendation-sets/:id/deactivate", {
      ...over(recommendationSetOperations.deactivate, "id"),
      success: RecommendationSetDetail,
      error: changeErrors
    }).annotateMerge(
      performs(recommendationSetOperations.deactivate, {
        summary: "Deactivate a recommendation set",
        description: "It takes no payment. On every plan; a repetition answers the same record and emits nothing."
      })
    )
  )
  .add(
    HttpApiEndpoint.get("listPayments", "/recommendation-sets/:id/payments", {
      ...over(recommendationSetOperations.listPayments, "id"),
      success: pageOf(Payment.RecommendationSetPaymentRecord, "RecommendationSetPaymentPage"),
      error: readErrors
    }).annotateMerge(
      performs(recommendationSetOperations.listPayments, {
        summary: "List the payments of a recommendation set",
        description:
          "Newest first, each with its distribution to the recipients. distribution_status means something once payment_status is SUCCEEDED."
      })
    )
  )
  .add(
    HttpApiEndpoint.post("mintLink", "/recommendation-sets/:id/personalised-links", {
      ...over(personalisedLinkOperations.mintForSet, "id"),
      success: PersonalisedSetLink.pipe(HttpApiSchema.status(201)),
      error: changeErrors
    }).annotateMerge(
      performs(personalisedLinkOperations.mintForSet, {
        summary: "Mint a donor's own link to a recommendation set",
        description: `The link is good for ${Limits.personalisedLinkDays} days and any number of visits, until the donor is archived, merged or edited. The address is a live credential: give it to this donor alone.`,
        secret: true
      })
    )
  )
  .annotate(OpenApi.Description, "Recipients that donors pay at once, and the payments to them.") {}

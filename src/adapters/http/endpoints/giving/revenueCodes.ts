import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { revenueCodeOperations } from "../../../../app/giving/RevenueCodes.ts"
import { RevenueCodeRecord } from "../../../../domain/giving/RevenueCode.ts"
import { changeErrors, createErrors, listErrors, readErrors } from "../../pipeline/ErrorEnvelope.ts"
import { over, pageOf, performs } from "../Declare.ts"
import { idOf, instant, later, page } from "../Example.ts"

const revenueCode = {
  id: idOf("revenueCode"),
  code: "SPRING-2026",
  namespace: "INTERNAL",
  description: "Spring appeal",
  is_fca: false,
  archived_at: null,
  created_at: instant,
  updated_at: instant
}

export class RevenueCodesGroup extends HttpApiGroup.make("revenue-codes")
  .add(
    HttpApiEndpoint.post("create", "/revenue-codes", {
      ...over(revenueCodeOperations.create),
      success: RevenueCodeRecord.pipe(HttpApiSchema.status(201)),
      error: createErrors
    }).annotateMerge(
      performs(revenueCodeOperations.create, {
        summary: "Make a revenue code",
        description:
          "The code's text is unique whatever its case and its Unicode form; one that is taken, archived or not, is a conflict.",
        example: { request: { code: "SPRING-2026", description: "Spring appeal" }, answer: revenueCode }
      })
    ),
    HttpApiEndpoint.get("list", "/revenue-codes", {
      ...over(revenueCodeOperations.list),
      success: pageOf(RevenueCodeRecord, "RevenueCodePage"),
      error: listErrors
    }).annotateMerge(
      performs(revenueCodeOperations.list, {
        summary: "List revenue codes",
        description: "Newest first.",
        example: { answer: page(revenueCode) }
      })
    ),
    HttpApiEndpoint.get("read", "/revenue-codes/:id", {
      ...over(revenueCodeOperations.read, "id"),
      success: RevenueCodeRecord,
      error: readErrors
    }).annotateMerge(
      performs(revenueCodeOperations.read, {
        summary: "Read a revenue code",
        description: "Archived codes can be read, too.",
        example: { answer: revenueCode }
      })
    ),
    HttpApiEndpoint.patch("update", "/revenue-codes/:id", {
      ...over(revenueCodeOperations.update, "id"),
      success: RevenueCodeRecord,
      error: changeErrors
    }).annotateMerge(
      performs(revenueCodeOperations.update, {
        summary: "Change a revenue code",
        description: "What is booked under the code shows it as it is spelled now. Events keep what they said.",
        example: {
          request: { description: null },
          answer: { ...revenueCode, description: null, updated_at: later }
        }
      })
    ),
    HttpApiEndpoint.delete("archive", "/revenue-codes/:id", {
      ...over(revenueCodeOperations.archive, "id"),
      success: RevenueCodeRecord,
      error: readErrors
    }).annotateMerge(
      performs(revenueCodeOperations.archive, {
        summary: "Archive a revenue code",
        description: "Gifts keep it. A gift that names its text again is booked under it, unchanged.",
        example: { answer: { ...revenueCode, archived_at: later, updated_at: later } }
      })
    )
  )
  .annotate(OpenApi.Description, "What gifts are booked under.") {}

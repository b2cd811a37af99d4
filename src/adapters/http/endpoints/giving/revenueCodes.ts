import { HttpApiGroup, OpenApi } from "effect/http-api"
import { revenueCodeOperations } from "../../../../app/giving/RevenueCodes.ts"
import { del, get, patch, post } from "../Declare.ts"
import { idOf, instant, later, page } from "../Example.ts"

const revenueCode = {
  id: idOf("revenueCode"),
  code: "SPRING-2026",
  namespace: "INTERNAL",
  description: "Spring appeal",
  is_fca: false,
  created_at: instant,
  updated_at: instant
}

export class RevenueCodesGroup extends HttpApiGroup.make("revenue-codes")
  .add(
    post(revenueCodeOperations.create, "create", "/revenue-codes", {
      status: 201,
      description:
        "The code's text is unique whatever its case and its Unicode form; one that is taken, archived or not, is a conflict.",
      example: { request: { code: "SPRING-2026", description: "Spring appeal" }, answer: revenueCode }
    }),
    get(revenueCodeOperations.list, "list", "/revenue-codes", {
      description: "Newest first.",
      example: { answer: page(revenueCode) }
    }),
    get(revenueCodeOperations.read, "read", "/revenue-codes/:id", {
      description: "Archived codes can be read, too.",
      example: { answer: revenueCode }
    }),
    patch(revenueCodeOperations.update, "update", "/revenue-codes/:id", {
      description: "What is booked under the code shows it as it is spelled now. Events keep what they said.",
      example: { request: { description: null }, answer: { ...revenueCode, description: null, updated_at: later } }
    }),
    del(revenueCodeOperations.archive, "archive", "/revenue-codes/:id", {
      description: "Gifts keep it. A gift that names its text again is booked under it, unchanged.",
      example: { answer: { ...revenueCode, archived_at: later, updated_at: later } }
    })
  )
  .annotate(OpenApi.Description, "What gifts are booked under.") {}

import { Effect } from "effect"
import { RevenueCodes } from "../../../app/giving/RevenueCodes.ts"
import type { RevenueCodesGroup } from "../endpoints/giving/revenueCodes.ts"
import type { HandlersOf } from "../pipeline/Handler.ts"

export const revenueCodesHandlers = Effect.gen(function* () {
  const codes = yield* RevenueCodes
  const handlers: HandlersOf<typeof RevenueCodesGroup> = {
    create: { run: ({ payload }) => codes.create(payload) },
    list: { run: ({ list }) => codes.list(list) },
    read: { run: ({ params }) => codes.read(params.id) },
    update: { run: ({ params, payload }) => codes.update(params.id, payload) },
    archive: { run: ({ params }) => codes.archive(params.id) }
  }
  return handlers
})

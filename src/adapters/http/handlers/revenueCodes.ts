import { Effect } from "effect"
import { RevenueCodes } from "../../../app/RevenueCodes.ts"
import type { RevenueCodesGroup } from "../groups/revenueCodes.ts"
import type { HandlersOf } from "../Handler.ts"

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

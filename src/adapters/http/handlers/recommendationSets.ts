import { Effect } from "effect"
import { PersonalisedLinks } from "../../../app/sharing/PersonalisedLinks.ts"
import { RecommendationSets } from "../../../app/sharing/RecommendationSets.ts"
import type { RecommendationSetsGroup } from "../endpoints/sharing/recommendationSets.ts"
import type { HandlersOf } from "../pipeline/Handler.ts"

export const recommendationSetsHandlers = Effect.gen(function* () {
  const sets = yield* RecommendationSets
  const links = yield* PersonalisedLinks
  const handlers: HandlersOf<typeof RecommendationSetsGroup> = {
    create: { run: ({ payload }) => sets.create(payload) },
    list: { run: ({ list }) => sets.list(list) },
    read: { run: ({ params }) => sets.read(params.id) },
    update: { run: ({ params, payload }) => sets.update(params.id, payload) },
    archive: { run: ({ params }) => sets.archive(params.id) },
    deactivate: { run: ({ params }) => sets.deactivate(params.id) },
    listPayments: { run: ({ list, params }) => sets.listPayments(params.id, list) },
    mintLink: { run: ({ params, payload }) => links.mintForSet(params.id, payload) }
  }
  return handlers
})

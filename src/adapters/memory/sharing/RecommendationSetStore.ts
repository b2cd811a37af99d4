import { Effect, Layer, Option } from "effect"
import type { OrganisationId, RecommendationSetId } from "../../../domain/kernel/Ids.ts"
import { type RecommendationSet, recordOf } from "../../../domain/sharing/RecommendationSet.ts"
import { RecommendationSetStore } from "../../../ports/sharing/RecommendationSetStore.ts"
import { Memory } from "../Memory.ts"
import { get, records, type State } from "../State.ts"
import { makeUniqueRecords } from "../UniqueRecords.ts"

const findLinked = (state: State, organisation_id: OrganisationId, id: RecommendationSetId) =>
  Option.map(get(state.recommendationSets, organisation_id, id), (set) => ({
    set,
    recipients: new Map(
      set.allocations.flatMap(({ recipient_org_account_link_id }) =>
        Option.toArray(get(state.recipientAccounts, organisation_id, recipient_org_account_link_id)).map(
          ({ id, label, recipient_org_name }) => [id, { link_label: label, recipient_org_name }] as const
        )
      )
    )
  }))

/** Recommendation sets in memory. */
export const layer = Layer.effect(
  RecommendationSetStore,
  Effect.map(Memory, (memory) => {
    const sets = makeUniqueRecords<RecommendationSet, RecommendationSetId>(memory, {
      table: (state) => state.recommendationSets,
      with: (state, recommendationSets) => ({ ...state, recommendationSets }),
      columns: (set) => set,
      archivable: true,
      unique: { value: ({ slug }) => slug, record: "recommendation set", field: "slug" }
    })
    return RecommendationSetStore.of({
      ...sets,
      list: (organisation_id, query) =>
        Effect.map(sets.list(organisation_id, query), (page) => ({ ...page, data: page.data.map(recordOf) })),
      findLinked: (organisation_id, id) => memory.read((state) => findLinked(state, organisation_id, id)),
      takenSlugs: (organisation_id, slugs) =>
        memory.read((state) =>
          Array.from(records(state.recommendationSets, organisation_id), ({ slug }) => slug).filter((slug) =>
            slugs.includes(slug)
          )
        )
    })
  })
)

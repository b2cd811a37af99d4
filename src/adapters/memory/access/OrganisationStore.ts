import { Effect, HashMap, Layer, Option, Result } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { AlreadyTaken } from "../../../domain/kernel/Rejection.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { Memory } from "../Memory.ts"
import { oldestFirst } from "../Order.ts"
import type { State } from "../State.ts"

const bySlug = (state: State, slug: string): Option.Option<Organisation> =>
  Option.flatMap(HashMap.get(state.slugs, slug), (id) => HashMap.get(state.organisations, id))

const keep = (state: State, organisation: Organisation): State => {
  const before = HashMap.get(state.organisations, organisation.id)
  const others = Option.isSome(before) ? HashMap.remove(state.slugs, before.value.slug) : state.slugs
  return {
    ...state,
    organisations: HashMap.set(state.organisations, organisation.id, organisation),
    slugs: HashMap.set(others, organisation.slug, organisation.id)
  }
}

/** Organisations in memory. */
export const layer = Layer.effect(
  OrganisationStore,
  Effect.map(Memory, (memory) => {
    const find = (id: OrganisationId) => memory.read((state) => HashMap.get(state.organisations, id))
    return OrganisationStore.of({
      insert: (organisation) =>
        memory.decide((state) => {
          const holder = bySlug(state, organisation.slug)
          return Option.isSome(holder)
            ? Result.fail(new AlreadyTaken({ record: "organisation", field: "slug", holder_id: holder.value.id }))
            : Result.succeed([undefined, keep(state, organisation)])
        }),
      find,
      findForUpdate: find,
      findBySlug: (slug) => memory.read((state) => bySlug(state, slug)),
      all: memory.read((state) => HashMap.toValues(state.organisations).sort(oldestFirst)),
      update: (organisation) =>
        memory.change((state) =>
          HashMap.has(state.organisations, organisation.id) ? keep(state, organisation) : state
        )
    })
  })
)

import { Effect, HashMap, Layer, Option, Result } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { AlreadyTaken } from "../../../domain/kernel/Rejection.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { Memory } from "../Memory.ts"
import { oldestFirst } from "../Order.ts"
import type { State } from "../State.ts"

const bySlug = (state: State, slug: string): Option.Option<Organisation> =>
  Option.fromNullishOr(HashMap.toValues(state.organisations).find((organisation) => organisation.slug === slug))

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
            : Result.succeed([
                undefined,
                { ...state, organisations: HashMap.set(state.organisations, organisation.id, organisation) }
              ])
        }),
      find,
      findForUpdate: find,
      findBySlug: (slug) => memory.read((state) => bySlug(state, slug)),
      all: memory.read((state) => HashMap.toValues(state.organisations).sort(oldestFirst)),
      update: (organisation) =>
        memory.change((state) =>
          HashMap.has(state.organisations, organisation.id)
            ? { ...state, organisations: HashMap.set(state.organisations, organisation.id, organisation) }
            : state
        )
    })
  })
)

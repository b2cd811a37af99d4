import { type DateTime, Effect, HashMap, Layer, Option } from "effect"
import type { IntroductionId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { countsTowardLimit, type Introduction, ranOut } from "../../../domain/sharing/Introduction.ts"
import { IntroductionStore } from "../../../ports/sharing/IntroductionStore.ts"
import { makeExpirable } from "../ExpirableRecords.ts"
import { Memory } from "../Memory.ts"
import { records, type State } from "../State.ts"
import { makeUniqueRecords, type UniqueTable } from "../UniqueRecords.ts"

const introductions: UniqueTable<Introduction> = {
  table: (state) => state.introductions,
  with: (state, table) => ({ ...state, introductions: table }),
  columns: (introduction) => introduction,
  unique: { value: ({ external_id }) => external_id, record: "introduction", field: "external_id" }
}

const all = (state: State): ReadonlyArray<Introduction> =>
  HashMap.toValues(state.introductions).flatMap((table) => HashMap.toValues(table))

const located = (state: State, id: IntroductionId): Option.Option<Introduction> =>
  Option.fromNullishOr(all(state).find((introduction) => introduction.id === id))

const countOf = (state: State, organisation_id: OrganisationId, now: DateTime.Utc) =>
  Array.from(records(state.introductions, organisation_id)).filter((each) => countsTowardLimit(each, now)).length

/** Introductions in memory. */
export const layer = Layer.effect(
  IntroductionStore,
  Effect.map(Memory, (memory) =>
    IntroductionStore.of({
      ...makeUniqueRecords<Introduction, IntroductionId>(memory, introductions),
      locate: (id) => memory.read((state) => located(state, id)),
      countForUpdate: (organisation_id, now) => memory.read((state) => countOf(state, organisation_id, now)),
      expirable: makeExpirable(memory, all, (each, now) => Rule.holdsAt(ranOut, each, now))
    })
  )
)

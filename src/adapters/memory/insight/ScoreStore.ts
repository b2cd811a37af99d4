import { Effect, HashMap, Layer, Option } from "effect"
import { summaryOf } from "../../../domain/insight/Intelligence.ts"
import { ScoreStore } from "../../../ports/insight/ScoreStore.ts"
import { Memory } from "../Memory.ts"
import { records, type State } from "../State.ts"

const scoresOf = (state: State, organisation_id: string) =>
  Option.match(HashMap.get(state.scores, organisation_id), { onNone: () => [], onSome: ({ scores }) => scores })

const computationOf = (state: State, organisation_id: string) =>
  Option.match(HashMap.get(state.scores, organisation_id), {
    onNone: () => null,
    onSome: ({ computation }) => computation
  })

/** Scores in memory. */
export const layer = Layer.effect(
  ScoreStore,
  Effect.map(Memory, (memory) =>
    ScoreStore.of({
      replace: (organisation_id, computation, scores) =>
        memory.change((state) => ({
          ...state,
          scores: HashMap.set(state.scores, organisation_id, { computation, scores: [...scores] })
        })),
      ofDonor: (organisation_id, donor_id) =>
        memory.read((state) => scoresOf(state, organisation_id).filter((score) => score.donor_id === donor_id)),
      standing: (organisation_id, limit) =>
        memory.read((state) =>
          summaryOf({
            computation: computationOf(state, organisation_id),
            donors: records(state.donors, organisation_id),
            scores: scoresOf(state, organisation_id),
            limit
          })
        )
    })
  )
)

import { Effect, Layer, Option, Result } from "effect"
import type { RecipientAccountLinkId } from "../../../domain/kernel/Ids.ts"
import { payableOf, type RecipientAccount } from "../../../domain/sharing/RecipientAccount.ts"
import { RecipientAccountStore } from "../../../ports/sharing/RecipientAccountStore.ts"
import { type Change, Memory } from "../Memory.ts"
import { makeRecords } from "../Records.ts"
import { add, get, records } from "../State.ts"

interface Found {
  readonly link: RecipientAccount
  readonly created: boolean
}

/** Links to recipients' accounts in memory. */
export const layer = Layer.effect(
  RecipientAccountStore,
  Effect.map(Memory, (memory) =>
    RecipientAccountStore.of({
      ...makeRecords<RecipientAccount, RecipientAccountLinkId>(memory, {
        table: (state) => state.recipientAccounts,
        with: (state, recipientAccounts) => ({ ...state, recipientAccounts }),
        columns: (link) => link
      }),
      findOrInsert: (link) =>
        memory.decide((state): Change<Found, never> => {
          const { organisation_id, recipient_integration_id } = link
          for (const each of records(state.recipientAccounts, organisation_id)) {
            if (each.recipient_integration_id === recipient_integration_id) {
              return Result.succeed([{ link: each, created: false }, state])
            }
          }
          return Result.succeed([
            { link, created: true },
            { ...state, recipientAccounts: add(state.recipientAccounts, link) }
          ])
        }),
      findManyForShare: (organisation_id, ids) =>
        memory.read((state) =>
          [...new Set(ids)].flatMap((id) =>
            Option.toArray(Option.map(get(state.recipientAccounts, organisation_id, id), payableOf))
          )
        )
    })
  )
)

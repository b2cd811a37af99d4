import { Effect, HashMap, Layer, Option } from "effect"
import { type Integration, isDefault, transferAccountOf } from "../../../domain/access/Integration.ts"
import type { IntegrationId } from "../../../domain/kernel/Ids.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { Memory } from "../Memory.ts"
import { makeRecords } from "../Records.ts"
import { records, type State, type Table } from "../State.ts"

/** The state with these integrations. A second default of an organisation is an error of the program. */
const withIntegrations = (state: State, integrations: Table<Integration>): State => {
  for (const organisation_id of HashMap.keys(integrations)) {
    const defaults = Array.from(records(integrations, organisation_id)).filter(isDefault)
    if (defaults.length > 1) throw new Error(`The organisation ${organisation_id} has two default integrations`)
  }
  return { ...state, integrations }
}

const allIntegrations = (state: State): ReadonlyArray<Integration> =>
  HashMap.toValues(state.integrations).flatMap((ofOne) => HashMap.toValues(ofOne))

/** Integrations in memory. */
export const layer = Layer.effect(
  IntegrationStore,
  Effect.map(Memory, (memory) =>
    IntegrationStore.of({
      ...makeRecords<Integration, IntegrationId>(memory, {
        table: (state) => state.integrations,
        with: withIntegrations,
        columns: (integration) => integration
      }),
      defaultAnd: (organisation_id, ids) =>
        memory.read((state) =>
          allIntegrations(state)
            .filter((each) => ids.includes(each.id) || (each.organisation_id === organisation_id && isDefault(each)))
            .map(transferAccountOf)
        ),
      ofId: (id) => memory.read((state) => Option.fromNullishOr(allIntegrations(state).find((each) => each.id === id))),
      ofAccount: (processor, account) =>
        memory.read((state) =>
          allIntegrations(state).filter(
            (each) => each.processor === processor && each.processor_connect_account_id === account
          )
        ),
      findByPassphrase: (hashes) =>
        memory.read((state) => {
          const has = ({ passphrase_hash, passphrase_key_id }: Integration): boolean =>
            hashes.some(({ hash, key_id }) => hash === passphrase_hash && key_id === passphrase_key_id)
          for (const ofOne of HashMap.values(state.integrations)) {
            for (const integration of HashMap.values(ofOne)) if (has(integration)) return Option.some(integration)
          }
          return Option.none()
        })
    })
  )
)

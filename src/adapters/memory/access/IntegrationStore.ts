import { Effect, HashMap, Layer, Option } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { IntegrationId } from "../../../domain/kernel/Ids.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { Memory } from "../Memory.ts"
import { makeRecords } from "../Records.ts"

/** Integrations in memory. */
export const layer = Layer.effect(
  IntegrationStore,
  Effect.map(Memory, (memory) =>
    IntegrationStore.of({
      ...makeRecords<Integration, IntegrationId>(memory, {
        table: (state) => state.integrations,
        with: (state, integrations) => ({ ...state, integrations }),
        columns: (integration) => integration
      }),
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

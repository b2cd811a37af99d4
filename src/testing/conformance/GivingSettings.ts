import { Effect } from "effect"
import { type GivingSettings, initial } from "../../domain/giving/GivingSettings.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { GivingSettingsStore } from "../../ports/giving/GivingSettingsStore.ts"
import { newOrganisation } from "./Records.ts"
import { type Check, check, same } from "./Suite.ts"

/** The laws of {@link GivingSettingsStore}. */
export const givingSettings = (): ReadonlyArray<Check<GivingSettingsStore | OrganisationStore>> => [
  check(
    "settings are read back as they were set last, of their own organisation alone",
    ["GivingSettingsStore.of MUST be initial where nothing was set"],
    Effect.fnUntraced(function* () {
      const store = yield* GivingSettingsStore
      const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
      same(yield* store.of(id), initial(id))
      const fund: GivingSettings = {
        organisation_id: id,
        fund_name: "Relief Fund",
        fund_abn: "51824753556",
        is_deductible: true,
        sends_receipts: false
      }
      for (const settings of [fund, { ...fund, fund_name: null }, initial(id)]) {
        yield* store.set(settings)
        same([yield* store.of(id), yield* store.of(other.id)], [settings, initial(other.id)])
      }
    })
  )
]

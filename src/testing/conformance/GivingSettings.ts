import { Effect, Option } from "effect"
import { type GivingSettings, initial, type Logo } from "../../domain/giving/GivingSettings.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { GivingSettingsStore } from "../../ports/giving/GivingSettingsStore.ts"
import { newOrganisation } from "./Records.ts"
import { type Check, check, same, twice } from "./Suite.ts"

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
        sends_receipts: false,
        accent_color: "#0a5a4b",
        logo: "0a.png",
        embed_origins: ["https://example.org", "https://other.example.org"]
      }
      for (const settings of [fund, { ...fund, fund_name: null, embed_origins: [] }, initial(id)]) {
        yield* store.set(settings)
        same([yield* store.of(id), yield* store.of(other.id)], [settings, initial(other.id)])
      }
    }, twice)
  ),
  check(
    "a logo is read back as it was set last, of its own organisation alone, and is gone when it was removed",
    ["GivingSettingsStore.logoOf MUST be none after removeLogo"],
    Effect.fnUntraced(function* () {
      const store = yield* GivingSettingsStore
      const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
      const first: Logo = { organisation_id: id, name: "1.png", data: "AAAA" }
      for (const logo of [first, { ...first, name: "2.jpg", data: "BBBB".repeat(60_000) }]) {
        yield* store.setLogo(logo)
        same([yield* store.logoOf(id), yield* store.logoOf(other.id)], [Option.some(logo), Option.none()])
      }
      yield* store.removeLogo(other.id)
      same(Option.isSome(yield* store.logoOf(id)), true)
      yield* store.removeLogo(id)
      same(yield* store.logoOf(id), Option.none())
    }, twice)
  )
]

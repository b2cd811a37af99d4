import type { Effect } from "effect"
import { Context } from "effect"
import type { GivingSettings } from "../../domain/giving/GivingSettings.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"

/** Keeps what organisations set about their receipts. pages, section 1. */
export class GivingSettingsStore extends Context.Service<
  GivingSettingsStore,
  {
    /** An organisation's settings. MUST be {@link initial} where nothing was set. */
    of(organisation_id: OrganisationId): Effect.Effect<GivingSettings>
    /** Takes the place of the organisation's former settings. */
    set(settings: GivingSettings): Effect.Effect<void>
  }
>()("almoner/ports/GivingSettingsStore") {}

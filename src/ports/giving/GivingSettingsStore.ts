import type { Effect } from "effect"
import { Context, type Option } from "effect"
import type { GivingSettings, Logo } from "../../domain/giving/GivingSettings.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"

/** Keeps what organisations set about their receipts and pages. pages, section 1. */
export class GivingSettingsStore extends Context.Service<
  GivingSettingsStore,
  {
    /** An organisation's settings. MUST be {@link initial} where nothing was set. */
    of(organisation_id: OrganisationId): Effect.Effect<GivingSettings>
    /** Takes the place of the organisation's former settings. */
    set(settings: GivingSettings): Effect.Effect<void>
    /** An organisation's logo. MUST be none after {@link removeLogo}. */
    logoOf(organisation_id: OrganisationId): Effect.Effect<Option.Option<Logo>>
    /** Takes the place of the organisation's former logo. */
    setLogo(logo: Logo): Effect.Effect<void>
    removeLogo(organisation_id: OrganisationId): Effect.Effect<void>
  }
>()("almoner/ports/GivingSettingsStore") {}

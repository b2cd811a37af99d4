import type { DateTime, Effect } from "effect"
import { Context } from "effect"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import type { Failures } from "../../domain/sharing/Passphrase.ts"

/** Keeps when each organisation's passphrase exchanges failed. */
export class PassphraseFailures extends Context.Service<
  PassphraseFailures,
  {
    /** The organisation's failures, none at first. MUST let one transaction after the other read and replace them. */
    findForUpdate(organisation_id: OrganisationId): Effect.Effect<Failures>
    /** Keeps these failures instead of the ones before. */
    replace(organisation_id: OrganisationId, failures: Failures): Effect.Effect<void>
    /**
     * Forgets the failures of organisations that had none after `before`, at most `limit` organisations, and answers of how
     * many. MUST lose no failure that is written at the same moment.
     */
    trim(before: DateTime.Utc, limit: number): Effect.Effect<number>
  }
>()("almoner/ports/PassphraseFailures") {}

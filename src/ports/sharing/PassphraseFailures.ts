import type { DateTime, Effect } from "effect"
import { Context } from "effect"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import type { Failures } from "../../domain/sharing/Passphrase.ts"

/** Keeps the times of each organisation's failed passphrase exchanges. */
export class PassphraseFailures extends Context.Service<
  PassphraseFailures,
  {
    /** The organisation's failures, none at first. MUST let one transaction after the other read and replace them. */
    findForUpdate(organisation_id: OrganisationId): Effect.Effect<Failures>
    /** Keeps these failures instead of the ones before. */
    replace(organisation_id: OrganisationId, failures: Failures): Effect.Effect<void>
    /**
     * Deletes the failures of organisations that had none after `before`, at most `limit` organisations, and returns how
     * many. MUST lose no failure that is written at the same moment.
     */
    trim(before: DateTime.Utc, limit: number): Effect.Effect<number>
  }
>()("almoner/ports/PassphraseFailures") {}

import type { DateTime, Effect } from "effect"
import type { Integration } from "../../domain/access/Integration.ts"
import type { NewOnboarding } from "../../domain/access/Onboarding.ts"
import type { Country } from "../../domain/kernel/Countries.ts"
import type { ProcessorFailure } from "./PaymentProcessors.ts"

/** An integration for which the processor has no account yet. */
export type Accountless = Omit<Integration, "processor_connect_account_id">

/** Where somebody of an organisation tells the processor what it has to know. */
export interface Invitation {
  readonly url: string
  /** From then on, or once it was opened, it leads nowhere. */
  readonly expires_at: DateTime.Utc
}

/** How organisations get accounts at a processor. money, section 3. */
export interface ProcessorOnboarding {
  /**
   * Opens an account for an integration, which takes no charges before its organisation has said who it is, where the
   * processor asks for that. MUST open one only, however often it is asked at the same moment for the same integration. The
   * organisation is in `country`, where the processor opens one in it or refuses; null is where the processor opens accounts
   * unless it is told otherwise.
   */
  openAccount(
    integration: Accountless,
    country: Country | null
  ): Effect.Effect<{ readonly account_id: string }, ProcessorFailure>
  /**
   * A link to the processor's own form for an account. It MUST lead back to `return_url`; one that has expired leads to
   * `refresh_url`. Whoever has it acts for the organisation. That somebody came back says nothing: `fetchAccount` tells whether
   * the account takes charges now.
   */
  onboard(integration: Integration, addresses: NewOnboarding): Effect.Effect<Invitation, ProcessorFailure>
}

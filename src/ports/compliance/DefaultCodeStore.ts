import type { Effect } from "effect"
import { Context } from "effect"
import type { DefaultCode } from "../../domain/compliance/DefaultCode.ts"
import type { OrganisationId, RecipientAccountLinkId } from "../../domain/kernel/Ids.ts"

/** A link of another organisation that leads to an account of this one. */
export interface IncomingLink {
  readonly id: RecipientAccountLinkId
  /** The organisation that made it. */
  readonly from_organisation_id: OrganisationId
  /** What this organisation calls its account. What the other one calls the link is not told. */
  readonly account_label: string
}

/** Keeps the codes by which gifts of recommendation sets count at their recipients. law, section 3. */
export class DefaultCodeStore extends Context.Service<
  DefaultCodeStore,
  {
    /** MUST take the place of the one of the same organisation and link. */
    set(code: DefaultCode): Effect.Effect<void>
    /** Takes out the one of this link, or that of the organisation for null; nothing where there is none. */
    clear(organisation_id: OrganisationId, link: RecipientAccountLinkId | null): Effect.Effect<void>
    /**
     * All that the organisation set. `effectiveCodeOf` of `domain/compliance/DefaultCode` says which of them a gift counts
     * by. MUST answer the organisation's own first, and then those of links in the order of their ids.
     */
    ofOrganisation(organisation_id: OrganisationId): Effect.Effect<ReadonlyArray<DefaultCode>>
    /** The links of all organisations that lead to an account of this one, active or not, in the order of their ids. */
    incomingLinks(organisation_id: OrganisationId): Effect.Effect<ReadonlyArray<IncomingLink>>
  }
>()("almoner/ports/DefaultCodeStore") {}

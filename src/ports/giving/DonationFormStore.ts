import type { Effect } from "effect"
import { Context } from "effect"
import type { DonationForm } from "../../domain/giving/DonationForm.ts"
import type { DonationFormId, OrganisationId } from "../../domain/kernel/Ids.ts"
import type { AlreadyTaken } from "../../domain/kernel/Rejection.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"

/**
 * Keeps donation forms. `insert` and `update` MUST fail with {@link AlreadyTaken} when another form of the organisation has
 * the slug, archived or not. `revenue_code` MUST be read as the code that `revenue_code_id` names is spelled now.
 */
export class DonationFormStore extends Context.Service<
  DonationFormStore,
  RecordStore<DonationForm, DonationFormId, AlreadyTaken> & {
    /** Which of these slugs forms of the organisation have, in no order. */
    takenSlugs(organisation_id: OrganisationId, slugs: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>>
  }
>()("almoner/ports/DonationFormStore") {}

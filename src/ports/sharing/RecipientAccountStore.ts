import type { Effect } from "effect"
import { Context } from "effect"
import type { OrganisationId, RecipientAccountLinkId } from "../../domain/kernel/Ids.ts"
import type { Payable, RecipientAccount } from "../../domain/sharing/RecipientAccount.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"

/** Keeps links to recipients' accounts: an organisation has at most one to each integration, active or not. */
export class RecipientAccountStore extends Context.Service<
  RecipientAccountStore,
  RecordStore<RecipientAccount, RecipientAccountLinkId> & {
    /**
     * Inserts the link, or answers the one that the organisation has to this integration already. MUST answer one and the
     * same record to requests at the same moment, and MUST hold it against every change until the transaction ends.
     */
    findOrInsert(link: RecipientAccount): Effect.Effect<{ readonly link: RecipientAccount; readonly created: boolean }>
    /**
     * The links of these ids that the organisation has, as far as payments go by them, in no order. MUST hold them against
     * change, and not against others that share them, until the transaction ends.
     */
    findManyForShare(
      organisation_id: OrganisationId,
      ids: ReadonlyArray<RecipientAccountLinkId>
    ): Effect.Effect<ReadonlyArray<Payable>>
  }
>()("almoner/ports/RecipientAccountStore") {}

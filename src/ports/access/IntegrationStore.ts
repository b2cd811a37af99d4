import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { Integration, TransferAccount } from "../../domain/access/Integration.ts"
import type { IntegrationId, OrganisationId } from "../../domain/kernel/Ids.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"

/**
 * Keeps processor integrations. Of an organisation's active ones at most one MUST be the default: writing a second one is
 * an error of the program.
 */
export class IntegrationStore extends Context.Service<
  IntegrationStore,
  RecordStore<Integration, IntegrationId> & {
    /** The organisation's active default account, where it has one, and these of any organisation, in one look and in no order. */
    defaultAnd(
      organisation_id: OrganisationId,
      ids: ReadonlyArray<IntegrationId>
    ): Effect.Effect<ReadonlyArray<TransferAccount>>
    /** The integration of this id, of any organisation. */
    ofId(id: IntegrationId): Effect.Effect<Option.Option<Integration>>
    /** The integrations of all organisations that are this account at this processor, in no order. */
    ofAccount(processor: string, account: string): Effect.Effect<ReadonlyArray<Integration>>
    /** The integration of any organisation whose passphrase has one of these hashes, each made with the key named. */
    findByPassphrase(
      hashes: ReadonlyArray<{ readonly key_id: string; readonly hash: string }>
    ): Effect.Effect<Option.Option<Integration>>
  }
>()("almoner/ports/IntegrationStore") {}

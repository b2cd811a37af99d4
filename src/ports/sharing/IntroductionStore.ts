import type { DateTime, Effect, Option } from "effect"
import { Context } from "effect"
import type { IntroductionId, OrganisationId } from "../../domain/kernel/Ids.ts"
import type { AlreadyTaken } from "../../domain/kernel/Rejection.ts"
import type { Introduction } from "../../domain/sharing/Introduction.ts"
import type { FindExpirable } from "../kernel/Expirable.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"

/**
 * Keeps introductions. `insert` and `update` MUST fail with {@link AlreadyTaken} when the inviter has another introduction of
 * the same `external_id`, in whichever state.
 */
export class IntroductionStore extends Context.Service<
  IntroductionStore,
  RecordStore<Introduction, IntroductionId, AlreadyTaken> & {
    /** The introduction of this id, whoever sent it: for the invitee, who knows the id only. */
    locate(id: IntroductionId): Effect.Effect<Option.Option<Introduction>>
    /**
     * How many introductions count toward the inviter's limit at `now`, as `Introduction.limitRule` says. MUST let one
     * transaction of an organisation after the other count and insert.
     */
    countForUpdate(organisation_id: OrganisationId, now: DateTime.Utc): Effect.Effect<number>
    /**
     * Introductions of all organisations that `Introduction.ranOut` holds for at `now`, the earliest to run out first,
     * without those of the ids in `except`. MUST find them whether or not they can be read.
     */
    readonly expirable: FindExpirable
  }
>()("almoner/ports/IntroductionStore") {}

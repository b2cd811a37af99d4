import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { OrganisationId, RecipientAccountLinkId, RecommendationSetId } from "../../domain/kernel/Ids.ts"
import type { AlreadyTaken } from "../../domain/kernel/Rejection.ts"
import type {
  LinkedRecipient,
  RecommendationSet,
  RecommendationSetRecord
} from "../../domain/sharing/RecommendationSet.ts"
import type { RecordReader, RecordStore } from "../kernel/RecordStore.ts"

/** A set with the present names of its allocations' links and recipients. */
export interface LinkedSet {
  readonly set: RecommendationSet
  readonly recipients: ReadonlyMap<RecipientAccountLinkId, LinkedRecipient>
}

/**
 * Keeps recommendation sets, each with its allocations. Lists show sets without them. `insert` and `update` MUST fail with
 * {@link AlreadyTaken} when another set of the organisation has the slug, archived or not.
 */
export class RecommendationSetStore extends Context.Service<
  RecommendationSetStore,
  Omit<RecordStore<RecommendationSet, RecommendationSetId, AlreadyTaken>, "list"> &
    Pick<RecordReader<RecommendationSetRecord, RecommendationSetId>, "list"> & {
      /** MUST hold a recipient for every link that the set's allocations name, as both were at one moment. */
      findLinked(organisation_id: OrganisationId, id: RecommendationSetId): Effect.Effect<Option.Option<LinkedSet>>
      /** Which of these slugs sets of the organisation have, in no order. */
      takenSlugs(organisation_id: OrganisationId, slugs: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>>
    }
>()("almoner/ports/RecommendationSetStore") {}

import type { DateTime } from "effect"
import { slugOf } from "../giving/FormSettings.ts"
import type { OrganisationId, RecommendationSetId } from "../kernel/Ids.ts"
import { nameOrNull, textOrNull } from "../kernel/Text.ts"
import type {
  Allocation,
  Changes,
  NewRecommendationSet,
  RecommendationSet,
  RecommendationSetPatch
} from "./RecommendationSet.ts"

/** The facts of a new set that its input does not give. */
export interface Origin {
  readonly id: RecommendationSetId
  readonly organisation_id: OrganisationId
  readonly url_key: string
  /** The input's allocations, each with an id and a link of the organisation. */
  readonly allocations: ReadonlyArray<Allocation>
  readonly at: DateTime.Utc
}

/** The length of a `url_key` in base62: 142 random bits. decisions, section 4: at least 128. */
export const urlKeyCharacters = 24

/**
 * The path of a set's page on the organisation's subdomain. decisions, section 8.
 * @example RecommendationSetDraft.givingPath({ url_key: "k3y" }) // => "/g/k3y"
 */
export const givingPath = ({ url_key }: Pick<RecommendationSet, "url_key">): string => `/g/${url_key}`

const trimmed = (name: string): string => nameOrNull(name) ?? name

/** A new set from input that keeps the rules. Where no slug is given, it comes from the name and may already be taken. */
export const create = (
  { amount_mode, description, expires_at, min_total_cents, name, slug }: NewRecommendationSet,
  { allocations, at, id, organisation_id, url_key }: Origin
): RecommendationSet => ({
  id,
  organisation_id,
  name: trimmed(name),
  slug: slug ?? slugOf(name, "set"),
  url_key,
  description: textOrNull(description),
  is_active: true,
  amount_mode: amount_mode ?? "FIXED",
  min_total_cents: min_total_cents ?? null,
  allocations,
  expires_at: expires_at ?? null,
  archived_at: null,
  created_at: at,
  updated_at: at
})

/**
 * The changes that a patch asks for; `allocations` are the patch's own, with ids, where it gives any.
 * @example RecommendationSetDraft.changesOf({ name: " Sea ", is_active: false }, undefined) // => { name: "Sea" }
 */
export const changesOf = (
  { allocations: _, description, is_active: __, name, ...rest }: RecommendationSetPatch,
  allocations: ReadonlyArray<Allocation> | undefined
): Changes => ({
  ...rest,
  ...(description === undefined ? {} : { description: textOrNull(description) }),
  ...(name === undefined ? {} : { name: trimmed(name) }),
  ...(allocations === undefined ? {} : { allocations })
})

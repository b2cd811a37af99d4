import { Effect, Option, Schema } from "effect"
import { births, machine, type RevenueCode } from "../../../domain/giving/RevenueCode.ts"
import { type OrganisationId, RevenueCodeId } from "../../../domain/kernel/Ids.ts"
import { birth } from "../../../domain/kernel/Machine.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { nameOrNull } from "../../../domain/kernel/Text.ts"
import { RevenueCodeStore } from "../../../ports/giving/RevenueCodeStore.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"

const isRevenueCodeId = Schema.is(RevenueCodeId)

interface Named {
  readonly revenue_code?: string | null
  readonly revenue_code_id?: string | null
}

/** The fields of a record that refer to its revenue code. */
interface Booked {
  readonly revenue_code: string | null
  readonly revenue_code_id: RevenueCodeId | null
}

const unbooked: Booked = { revenue_code: null, revenue_code_id: null }

const bookedUnder = ({ code, id }: { readonly code: string; readonly id: RevenueCodeId }): Booked => ({
  revenue_code: code,
  revenue_code_id: id
})

/** Finds the revenue codes that bodies name. service-spec, Create-donation body; decisions, section 4: Revenue codes. */
export const makeRevenueCodeLookup = Effect.gen(function* () {
  const revenueCodes = yield* RevenueCodeStore
  const tokens = yield* Tokens

  const byId = Effect.fnUntraced(function* (organisation_id: OrganisationId, id: string) {
    const found = isRevenueCodeId(id) ? yield* revenueCodes.find(organisation_id, id) : Option.none()
    if (Option.isSome(found)) return bookedUnder(found.value)
    const message = "revenue_code_id must be the id of a revenue code of this organisation."
    return yield* new InvalidInput({ param: "revenue_code_id", message })
  })

  /** The INTERNAL code of a text; made where there is none. */
  const byText = Effect.fnUntraced(function* (organisation_id: OrganisationId, code: string) {
    const found = yield* revenueCodes.findByCode(organisation_id, "INTERNAL", code)
    if (Option.isSome(found)) return bookedUnder(found.value)
    const at = yield* organisationNow
    const id = yield* tokens.id("revenueCode")
    const born = birth(
      machine,
      births.named,
      (): RevenueCode => ({
        id,
        organisation_id,
        code,
        namespace: "INTERNAL",
        description: null,
        is_fca: false,
        jurisdiction: null,
        archived_at: null,
        created_at: at,
        updated_at: at
      })
    )
    const inserted = yield* revenueCodes.findOrInsert(born.state)
    return bookedUnder(inserted.code)
  })

  /**
   * The booking of a new record; `revenue_code_id` wins over `revenue_code`. Fails with {@link InvalidInput} for an id
   * that no revenue code of the organisation has.
   */
  const book = Effect.fnUntraced(function* (organisation_id: OrganisationId, named: Named) {
    const id = nameOrNull(named.revenue_code_id)
    if (id !== null) return yield* byId(organisation_id, id)
    const code = nameOrNull(named.revenue_code)
    return code === null ? unbooked : yield* byText(organisation_id, code)
  })

  /** The booking that a patch changes to: null for either name clears both fields, and a patch with neither leaves them. */
  const rebook = (
    organisation_id: OrganisationId,
    patch: Named
  ): Effect.Effect<Booked | Record<never, never>, InvalidInput> =>
    patch.revenue_code === undefined && patch.revenue_code_id === undefined
      ? Effect.succeed({})
      : book(organisation_id, patch)

  return { book, rebook } as const
})

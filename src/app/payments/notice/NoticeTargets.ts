import { Effect, Option } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import type { Charge } from "../../../domain/payments/Charge.ts"
import type { Mandate } from "../../../domain/payments/Mandate.ts"
import * as Notice from "../../../domain/payments/Notice.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { MandateStore } from "../../../ports/payments/MandateStore.ts"

/** The target of a notice: the object to fetch from the processor, and its owner. */
export type Target =
  | {
      readonly _tag: "Charge"
      readonly organisation_id: OrganisationId
      readonly charge: Charge
      readonly integration: Integration
    }
  | { readonly _tag: "Mandates"; readonly organisation_id: OrganisationId; readonly mandates: ReadonlyArray<Mandate> }
  | {
      readonly _tag: "Accounts"
      readonly organisation_id: OrganisationId
      readonly integrations: ReadonlyArray<Integration>
    }
  | { readonly _tag: "Missing"; readonly organisation_id: OrganisationId | null }
  | { readonly _tag: "Nothing"; readonly organisation_id: OrganisationId | null }

/** The key of a target: targets of one key are fetched once. */
export const keyOf = (target: Target): string => {
  switch (target._tag) {
    case "Charge":
      return target.charge.id
    case "Mandates":
      return target.mandates.map(({ id }) => id).join(" ")
    case "Accounts":
      return target.integrations.map(({ id }) => id).join(" ")
    default:
      return `${target._tag} ${target.organisation_id}`
  }
}

/** Finds the targets of notices: by our id in the metadata, then by the reference. */
export const makeNoticeTargets = Effect.gen(function* () {
  const charges = yield* ChargeStore
  const integrations = yield* IntegrationStore
  const mandates = yield* MandateStore

  const chargesOf = Effect.fnUntraced(function* (
    { integration_id, processor, reference }: Notice.Notice,
    ours: Option.Option<Charge>
  ) {
    if (Option.isSome(ours)) return [ours.value]
    if (reference === null) return []
    if (integration_id === null) return yield* charges.ofProcessor(processor, reference)
    return Option.toArray(yield* charges.ofReference(integration_id, reference))
  })

  const mandatesOf = Effect.fnUntraced(function* (
    { processor, reference }: Notice.Notice,
    ours: Option.Option<Charge>
  ) {
    if (Option.isNone(ours)) return reference === null ? [] : yield* mandates.ofReference(processor, reference)
    const { mandate_id, organisation_id } = ours.value
    return mandate_id === null ? [] : Option.toArray(yield* mandates.find(organisation_id, mandate_id))
  })

  const accountsOf = Effect.fnUntraced(function* ({ account, integration_id, processor }: Notice.Notice) {
    if (integration_id === null) {
      const found = account === null ? [] : yield* integrations.ofAccount(processor, account)
      // An own account sends notices to its own address, and nobody else sends any of it.
      return found.filter(({ is_own }) => !is_own)
    }
    return Option.toArray(
      Option.filter(
        yield* integrations.ofId(integration_id),
        (found) => account === null || account === found.processor_connect_account_id
      )
    )
  })

  /** The candidates for a notice's target, with their account: one of another integration concerns nothing of ours. */
  const concernedBy = Effect.fnUntraced(function* <A extends Pick<Charge, "integration_id" | "organisation_id">>(
    notice: Notice.Notice,
    found: ReadonlyArray<A>
  ) {
    const all = yield* Effect.forEach(found, (its) =>
      Effect.map(
        integrations.find(its.organisation_id, its.integration_id),
        Option.map((integration) => ({ its, integration }))
      )
    )
    return all.flatMap(Option.toArray).filter(({ integration, its }) => Notice.concerns(notice, its, integration))
  })

  const accountTarget = Effect.fnUntraced(function* (notice: Notice.Notice): Effect.fn.Return<Target> {
    const accounts = yield* accountsOf(notice)
    const [first] = accounts
    const organisation_id = notice.organisation_id ?? first?.organisation_id ?? null
    return notice.object === "account" && first !== undefined
      ? { _tag: "Accounts", organisation_id: first.organisation_id, integrations: accounts }
      : { _tag: "Nothing", organisation_id }
  })

  return Effect.fnUntraced(function* (notice: Notice.Notice): Effect.fn.Return<Target> {
    const { charge_id, object } = notice
    if (object === "account") return yield* accountTarget(notice)
    const ours = charge_id === null ? Option.none<Charge>() : yield* charges.ofId(charge_id)
    const kept = object === "mandate" ? yield* mandatesOf(notice, ours) : []
    const taken = object === "mandate" ? [] : yield* chargesOf(notice, ours)
    const concerned = (yield* concernedBy(notice, kept)).map(({ its }) => its)
    const [mandate] = concerned
    if (mandate !== undefined) {
      return { _tag: "Mandates", organisation_id: mandate.organisation_id, mandates: concerned }
    }
    const [first] = yield* concernedBy(notice, taken)
    if (first !== undefined) {
      const { integration, its: charge } = first
      return { _tag: "Charge", organisation_id: charge.organisation_id, charge, integration }
    }
    const { organisation_id } = yield* accountTarget(notice)
    const isMissing = charge_id !== null && Option.isNone(ours) && kept.length + taken.length === 0
    return { _tag: isMissing ? "Missing" : "Nothing", organisation_id }
  })
})

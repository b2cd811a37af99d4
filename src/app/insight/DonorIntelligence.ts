import { Effect } from "effect"
import type { Organisation } from "../../domain/access/Organisation.ts"
import { entitlements } from "../../domain/access/Plan.ts"
import * as Intelligence from "../../domain/insight/Intelligence.ts"
import { DonorId } from "../../domain/kernel/Ids.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { publicUrl } from "../../domain/kernel/PublicAddress.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { ComputesScores } from "../../ports/insight/ComputesScores.ts"
import { ScoreStore } from "../../ports/insight/ScoreStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { PublicUrlTemplate } from "../../ports/kernel/PublicUrlTemplate.ts"
import { requireScope } from "../access/caller/CallerContext.ts"
import { id, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"

const operations = Row.table("intelligence", {
  readWorklist: Row.read("Read the worklist", [], Intelligence.Worklist, { plan: entitlements.donor_scoring }),
  readDonor: Row.read("Read one donor's intelligence", [id(DonorId, "donor")], Intelligence.DonorIntelligence, {
    plan: entitlements.donor_scoring
  })
})

/** Reads what was computed of donors, and computes nothing. service-spec, Donor intelligence. */
export class DonorIntelligence extends Service<DonorIntelligence>()("almoner/app/DonorIntelligence", function* () {
  const donors = yield* DonorStore
  const scores = yield* ScoreStore
  const template = yield* PublicUrlTemplate
  const computes = yield* ComputesScores

  /** A donor's page in the console. */
  const deepLink = ({ slug }: Organisation, id: DonorId) => publicUrl(template, slug, `/donors/${id}`)

  const readWorklist = Effect.fn("DonorIntelligence.readWorklist")(function* () {
    const { organisation } = yield* requireScope(operations.readWorklist)
    const standing = yield* scores.standing(organisation.id, Limits.worklistRows)
    return Intelligence.worklist(standing, {
      deepLinkOf: (id) => deepLink(organisation, id),
      computes,
      now: yield* organisationNow
    })
  })

  /** The scores of a donor, archived or not. */
  const readDonor = Effect.fn("DonorIntelligence.readDonor")(function* (id: DonorId) {
    const { organisation } = yield* requireScope(operations.readDonor)
    const known = yield* scores.ofDonor(organisation.id, id)
    // A donor with a score exists; only one without a score must be looked up.
    if (known.length === 0) yield* donors.find(organisation.id, id).pipe(orNotFound("donor", id))
    return Intelligence.donorIntelligence(
      {
        donor_id: id,
        scores: known,
        deep_link: deepLink(organisation, id),
        default_currency: organisation.default_currency
      },
      yield* organisationNow
    )
  })

  return yield* serviceInOrganisationTime(operations, { readWorklist, readDonor })
}) {}

/** The operations of {@link DonorIntelligence}. */
export const intelligenceOperations = operationsOf(DonorIntelligence, operations)

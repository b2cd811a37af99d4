import { Effect, Option, Schema } from "effect"
import * as Donor from "../../domain/giving/Donor.ts"
import { DonorId, type OrganisationId } from "../../domain/kernel/Ids.ts"
import { birth, decide, emissionsOf } from "../../domain/kernel/Machine.ts"
import { InvalidInput } from "../../domain/kernel/Rejection.ts"
import { compareCodePoints } from "../../domain/kernel/Text.ts"
import { CurrentCaller } from "../../ports/access/CurrentCaller.ts"
import { CheckoutLinkStore } from "../../ports/giving/CheckoutLinkStore.ts"
import { ContactLogStore } from "../../ports/giving/ContactLogStore.ts"
import { DonationStore } from "../../ports/giving/DonationStore.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { requireScope } from "../access/caller/CallerContext.ts"
import { keptIn, makeChange } from "../access/change/Change.ts"
import { body, id, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { listMethod, readMethod } from "../access/operation/RecordReads.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { type DonorMerge, Reactions } from "../kernel/reaction/Reactions.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"
import { mergedSentence, refuseArchivedDonor } from "./donor/MergedDonor.ts"

/** Everything that moves with a donor who is merged into another. decisions, section 4: Donors. */
const donorReferences = Effect.gen(function* () {
  const stores = [yield* DonationStore, yield* ContactLogStore, yield* CheckoutLinkStore]
  const reactions = yield* Reactions
  return {
    /** Gives everything that belongs to the duplicate to the survivor, in every context. */
    reassign: (merge: DonorMerge) => {
      const { at, duplicate, organisation_id, survivor } = merge
      return Effect.forEach(stores, (store) => store.reassign(organisation_id, duplicate, survivor, at), {
        discard: true
      }).pipe(Effect.andThen(reactions.donorMerged(merge)))
    }
  } as const
})

const isDonorId = Schema.is(DonorId)

const requireName = (donor: Donor.Profile): Effect.Effect<void, InvalidInput> => {
  const param = Donor.missingField(donor)
  if (param === null) return Effect.void
  const needed = param === "first_name" ? "first_name, last_name or email" : param
  return Effect.fail(new InvalidInput({ param, message: `A donor of type ${donor.donor_type} needs ${needed}.` }))
}

const donorId = id(DonorId, "donor")

const operations = Row.table("donors", {
  create: Row.change("Record a donor", [body(Donor.NewDonor, Donor.DonorRecord)], Donor.DonorRecord),
  read: Row.read("Read a donor", [donorId], Donor.DonorRecord),
  list: Row.list("List donors", Donor.listing, Donor.DonorRecord),
  update: Row.change("Change a donor", [donorId, body(Donor.DonorPatch, Donor.DonorRecord)], Donor.DonorRecord),
  archive: Row.end("Archive a donor", [donorId], Donor.DonorRecord),
  merge: Row.change(
    "Merge a duplicate into a donor",
    [donorId, body(Donor.DonorMerge, Donor.DonorRecord)],
    Donor.DonorRecord
  )
})

/** Records donors. decisions, section 4: Donors. */
export class Donors extends Service<Donors>()("almoner/app/Donors", function* () {
  const store = yield* DonorStore
  const reactions = yield* Reactions
  const references = yield* donorReferences
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  const change = (yield* makeChange)({
    machine: Donor.machine,
    ...keptIn("donor", store),
    refuseEnded: refuseArchivedDonor,
    tell: (types, donor, { command }) => emissionsOf(Donor.machine, types, donor, command)
  })

  /** Records a donor and emits `donor.created`. Fails with {@link InvalidInput} when it has no name at all. */
  const create = Effect.fn("Donors.create")(function* (input: Donor.NewDonor) {
    const { organisation } = yield* requireScope(operations.create)
    const profile = Donor.profileOf(input)
    yield* requireName(profile)
    const at = yield* organisationNow
    const id = yield* tokens.id("donor")
    const born = birth(Donor.machine, Donor.births.recorded, () => ({
      ...profile,
      id,
      organisation_id: organisation.id,
      profile_revision: 1,
      created_at: at,
      updated_at: at,
      archived_at: null,
      merged_into_donor_id: null
    }))
    yield* store.insert(born.state)
    yield* change.announce(operations.create.requires.name, born, { organisation, at })
    return born.state
  }, transaction.run)

  const read = readMethod("Donors.read", operations.read, "donor", store)
  const list = listMethod("Donors.list", operations.list, store)

  /** Changes fields; a patch that changes nothing emits nothing. Fails with {@link RecordArchived} after archiving. */
  const update = Effect.fn("Donors.update")(function* (id: DonorId, patch: Donor.DonorPatch) {
    const { state } = yield* change.revise(
      operations.update,
      id,
      Effect.fnUntraced(function* ({ at, before }) {
        const changes = Donor.changesOf(before, patch)
        yield* requireName({ ...before, ...changes })
        return Object.keys(changes).length === 0 ? [] : [{ _tag: "Change", at, changes }]
      })
    )
    return state
  }, transaction.run)

  /** Archives a donor, whose recurring gifts end. Repeating it leaves the record as it is, but is audited and emitted again. */
  const archive = Effect.fn("Donors.archive")(function* (id: DonorId) {
    const { at, before, organisation, state } = yield* change.perform(
      operations.archive,
      id,
      (at) => ({ _tag: "Archive", at }),
      { repeat: "told again" }
    )
    if (before.archived_at === null) {
      const { actor, request_id } = yield* CurrentCaller
      yield* reactions.donorArchived({ organisation_id: organisation.id, donor_id: id, actor, request_id, at })
    }
    return state
  }, transaction.run)

  const duplicateInvalid = (message: string) => new InvalidInput({ param: "duplicate_donor_id", message })

  /** Both donors, locked in the order of their ids, so that two merges never wait for each other. */
  const findBothForUpdate = Effect.fnUntraced(function* (organisation_id: OrganisationId, a: DonorId, b: DonorId) {
    const found = new Map<DonorId, Donor.Donor>()
    for (const id of [a, b].toSorted(compareCodePoints)) {
      for (const donor of Option.toArray(yield* store.findForUpdate(organisation_id, id))) found.set(id, donor)
    }
    return found
  })

  /**
   * Merges a duplicate into a donor, who survives: moves everything that belongs to the duplicate, fills the
   * survivor's empty fields, archives the duplicate, and emits `donor.merged` alone. Fails with {@link
   * RecordArchived} when the survivor is archived, and with {@link InvalidInput} (`duplicate_donor_id`) when the
   * duplicate is the survivor, unknown or archived.
   */
  const merge = Effect.fn("Donors.merge")(function* (id: DonorId, { duplicate_donor_id }: Donor.DonorMerge) {
    const { organisation } = yield* requireScope(operations.merge)
    const duplicate_id = isDonorId(duplicate_donor_id) ? duplicate_donor_id : id
    const found = yield* findBothForUpdate(organisation.id, id, duplicate_id)
    const survivor = yield* Effect.succeed(Option.fromNullishOr(found.get(id))).pipe(orNotFound("donor", id))
    yield* refuseArchivedDonor(survivor)
    if (duplicate_donor_id === id)
      return yield* duplicateInvalid(
        "duplicate_donor_id is the donor itself. Give the id of the donor that is merged into it."
      )
    const duplicate = found.get(duplicate_id)
    if (duplicate === undefined || duplicate === survivor || duplicate.archived_at !== null) {
      return yield* duplicateInvalid(
        `duplicate_donor_id must be the id of a donor of this organisation that is not archived.${mergedSentence(duplicate)}`
      )
    }
    const at = yield* organisationNow
    const gone = yield* Effect.fromResult(decide(Donor.machine, duplicate, { _tag: "MergeInto", at, survivor: id }))
    yield* references.reassign({ organisation_id: organisation.id, duplicate: duplicate_id, survivor: id, at })
    yield* store.update(gone.state)
    const held = { before: survivor, organisation, at }
    const { state } = yield* change.settle(operations.merge.requires.name, held, [{ _tag: "Merge", at, duplicate }])
    return state
  }, transaction.run)

  return yield* serviceInOrganisationTime(operations, { create, read, list, update, archive, merge })
}) {}

/** The operations of {@link Donors}. */
export const donorOperations = operationsOf(Donors, operations)

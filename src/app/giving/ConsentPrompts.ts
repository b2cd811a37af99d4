import { Effect } from "effect"
import * as ConsentPrompt from "../../domain/giving/ConsentPrompt.ts"
import { ConsentPromptRecord } from "../../domain/giving/ConsentPrompt.ts"
import { ConsentPromptId } from "../../domain/kernel/Ids.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { birth } from "../../domain/kernel/Machine.ts"
import { LimitReached } from "../../domain/kernel/Rejection.ts"
import { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { ConsentPromptStore } from "../../ports/giving/ConsentPromptStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { requireStaff } from "../access/caller/CallerContext.ts"
import { keptIn, makeChange } from "../access/change/Change.ts"
import { body, id, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { listMethod, readMethod } from "../access/operation/RecordReads.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { refuseArchived } from "../kernel/store/RecordChecks.ts"

const promptId = id(ConsentPromptId, "consent prompt")

const operations = Row.table("consent_prompts", {
  create: Row.staffChange(
    "Ask donors something more on the pages of forms and recommendation sets",
    [body(ConsentPrompt.NewConsentPrompt, ConsentPrompt.ConsentPromptRecord)],
    ConsentPromptRecord
  ),
  read: Row.staffRead("Show a consent prompt", [promptId], ConsentPromptRecord),
  list: Row.staffList("List consent prompts, newest first", ConsentPrompt.listing, ConsentPromptRecord),
  update: Row.staffChange(
    "Change the wording or the place of a consent prompt; answers keep the wording that they were given to",
    [promptId, body(ConsentPrompt.ConsentPromptPatch, ConsentPrompt.ConsentPromptRecord)],
    ConsentPromptRecord
  ),
  archive: Row.staffChange("Ask a consent prompt no more", [promptId], ConsentPromptRecord)
})

const tooMany = () =>
  new LimitReached({
    message: `An organisation asks at most ${Limits.consentPrompts} consent prompts. Archive one of them first.`
  })

/** Keeps what an organisation asks donors on its forms and recommendation sets. money, section 4: Consent. */
export class ConsentPrompts extends Service<ConsentPrompts>()("almoner/app/ConsentPrompts", function* () {
  const store = yield* ConsentPromptStore
  const organisations = yield* OrganisationStore
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  const change = (yield* makeChange)({
    machine: ConsentPrompt.machine,
    ...keptIn("consent prompt", store),
    refuseEnded: (prompt) => refuseArchived("consent prompt", prompt)
  })

  /** Makes a prompt, the last on the page where no place is given. Fails with {@link LimitReached} beyond ten. */
  const create = Effect.fn("ConsentPrompts.create")(function* (input: ConsentPrompt.NewConsentPrompt) {
    const { organisation } = yield* requireStaff(operations.create)
    // Whoever makes one counts them alone.
    yield* organisations.findForUpdate(organisation.id)
    const others = yield* store.asked(organisation.id)
    if (others.length >= Limits.consentPrompts) return yield* tooMany()
    const at = yield* organisationNow
    const id = yield* tokens.id("consentPrompt")
    const born = birth(
      ConsentPrompt.machine,
      ConsentPrompt.births.made,
      (): ConsentPrompt.ConsentPrompt => ({
        id,
        organisation_id: organisation.id,
        text: input.text.trim(),
        position: input.position ?? ConsentPrompt.nextPosition(others),
        created_at: at,
        updated_at: at,
        archived_at: null
      })
    )
    yield* store.insert(born.state)
    yield* change.announce(operations.create.requires.name, born, { organisation, at })
    return born.state
  }, transaction.run)

  const read = readMethod("ConsentPrompts.read", operations.read, "consent prompt", store)
  const list = listMethod("ConsentPrompts.list", operations.list, store)

  /**
   * Changes the wording or the place of a prompt. Answers keep the wording that they were given to; pages that show the old
   * one are told so when they submit. Fails with {@link RecordArchived} after archiving.
   */
  const update = Effect.fn("ConsentPrompts.update")(function* (
    id: ConsentPromptId,
    patch: ConsentPrompt.ConsentPromptPatch
  ) {
    const { organisation } = yield* requireStaff(operations.update)
    const held = yield* change.take(organisation, id)
    yield* refuseArchived("consent prompt", held.before)
    const changes = ConsentPrompt.changesOf(held.before, patch)
    const commands: ReadonlyArray<ConsentPrompt.Command> =
      Object.keys(changes).length === 0 ? [] : [{ _tag: "Change", at: held.at, changes }]
    const { state } = yield* change.settle(operations.update.requires.name, held, commands)
    return state
  }, transaction.run)

  /** Asks a prompt no more. Repeating it leaves the record as it is. */
  const archive = Effect.fn("ConsentPrompts.archive")(function* (id: ConsentPromptId) {
    const { organisation } = yield* requireStaff(operations.archive)
    const held = yield* change.take(organisation, id)
    const commands: ReadonlyArray<ConsentPrompt.Command> =
      held.before.archived_at === null ? [{ _tag: "Archive", at: held.at }] : []
    const { state } = yield* change.settle(operations.archive.requires.name, held, commands)
    return state
  }, transaction.run)

  return yield* serviceInOrganisationTime(operations, { create, read, list, update, archive })
}) {}

/** The operations of {@link ConsentPrompts}. */
export const consentPromptOperations = operationsOf(ConsentPrompts, operations)

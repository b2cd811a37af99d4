import { Effect, Option, Schema } from "effect"
import { jurisdictionsInForce } from "../../domain/compliance/Regime.ts"
import { AssignedCode, type Command, machine, Namespace } from "../../domain/giving/RevenueCode.ts"
import { InvalidInput, NotFound } from "../../domain/kernel/Rejection.ts"
import { DisclosureStore } from "../../ports/compliance/DisclosureStore.ts"
import { InstallationRegimes } from "../../ports/compliance/InstallationRegimes.ts"
import { RevenueCodeStore } from "../../ports/giving/RevenueCodeStore.ts"
import { realNow } from "../../ports/kernel/AheadClock.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { requireStaff } from "../access/caller/CallerContext.ts"
import { keptIn, makeChange } from "../access/change/Change.ts"
import { body, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { refuseArchived } from "../kernel/store/RecordChecks.ts"

/** Which code is assigned to which jurisdiction. */
export const CodeAssignment = Schema.Struct({
  code: Schema.String,
  namespace: Schema.optionalKey(Namespace),
  jurisdiction: Schema.NullOr(Schema.String)
}).annotate({
  identifier: "CodeAssignment",
  meanings: {
    code: "Text of the code.",
    namespace: "System that the code belongs to; INTERNAL where none is given.",
    jurisdiction: "The jurisdiction by whose law its gifts count, such as AU; null for none."
  }
})
export type CodeAssignment = typeof CodeAssignment.Type

const operations = Row.table("revenue_codes", {
  assign: Row.staffChange(
    "Assign a revenue code to the jurisdiction by whose law its gifts count, or to none",
    [body(CodeAssignment, AssignedCode)],
    AssignedCode
  )
})

/** Says which gifts count toward disclosures of which jurisdiction, by their revenue codes. For staff. law, section 3. */
export class CodeAssignments extends Service<CodeAssignments>()("almoner/app/CodeAssignments", function* () {
  const codes = yield* RevenueCodeStore
  const disclosures = yield* DisclosureStore
  const { regimes } = yield* InstallationRegimes
  const transaction = yield* Transaction

  const change = (yield* makeChange)({
    machine,
    ...keptIn("revenue code", codes)
  })

  const refuseUnknown = (jurisdiction: string | null) => {
    const known = jurisdictionsInForce(regimes)
    if (jurisdiction === null || known.includes(jurisdiction)) return Effect.void
    const message = `No disclosure regime is in force in ${jurisdiction}. Name one of ${known.join(", ")}, or bring its regime in REGIMES_FILE.`
    return Effect.fail(new InvalidInput({ param: "jurisdiction", message }))
  }

  /**
   * Assigns a code. Fails with {@link InvalidInput} for a jurisdiction without a regime in force, and with
   * {@link RecordArchived} for an archived code. A code that is assigned to it stays as it is.
   */
  const assign = Effect.fn("CodeAssignments.assign")(function* (input: CodeAssignment) {
    const { code, jurisdiction, namespace = "INTERNAL" } = input
    const { organisation } = yield* requireStaff(operations.assign)
    yield* refuseUnknown(jurisdiction)
    const found = yield* codes.findByCode(organisation.id, namespace, code)
    if (Option.isNone(found)) return yield* new NotFound({ record: `${namespace} revenue code`, id: code })
    const held = yield* change.take(organisation, found.value.id)
    yield* refuseArchived("revenue code", held.before)
    const commands: ReadonlyArray<Command> =
      held.before.jurisdiction === jurisdiction ? [] : [{ _tag: "Assign", at: held.at, jurisdiction }]
    if (commands.length > 0) yield* disclosures.requestRecount(organisation.id, yield* realNow)
    const { state } = yield* Effect.catchTag(
      change.settle(operations.assign.requires.name, held, commands),
      // The text does not change, so it cannot be taken.
      "AlreadyTaken",
      Effect.die
    )
    return state
  }, transaction.run)

  return yield* serviceInOrganisationTime(operations, { assign })
}) {}

/** The operations of {@link CodeAssignments}. */
export const codeAssignmentOperations = operationsOf(CodeAssignments, operations)

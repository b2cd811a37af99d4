import { Effect, Option, Schema } from "effect"
import { Namespace } from "../../domain/giving/RevenueCode.ts"
import { type OrganisationId, RecipientAccountLinkId, RevenueCodeId } from "../../domain/kernel/Ids.ts"
import { NotFound } from "../../domain/kernel/Rejection.ts"
import { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { DefaultCodeStore } from "../../ports/compliance/DefaultCodeStore.ts"
import { DisclosureStore } from "../../ports/compliance/DisclosureStore.ts"
import { RevenueCodeStore } from "../../ports/giving/RevenueCodeStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { requireStaff } from "../access/caller/CallerContext.ts"
import { ChangeLog } from "../access/change/Change.ts"
import { body, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { refuseArchived } from "../kernel/store/RecordChecks.ts"
import { recountTime } from "./disclosure/RecountTime.ts"

/** The code by which gifts of recommendation sets are to count. */
export const DefaultCodeInput = Schema.Struct({
  code: Schema.NullOr(Schema.String),
  namespace: Schema.optionalKey(Namespace),
  account: Schema.optionalKey(Schema.NullOr(RecipientAccountLinkId))
}).annotate({
  identifier: "DefaultRevenueCodeChoice",
  meanings: {
    code: "Text of the code; null for none.",
    namespace: "System that the code belongs to; INTERNAL where none is given.",
    account: "Link by which the gifts come; those that come by any other link where none is given."
  }
})
export type DefaultCodeInput = typeof DefaultCodeInput.Type

/** A way by which gifts of recommendation sets reach an organisation, with the code that they count by. */
export const DefaultCodeRecord = Schema.Struct({
  account: Schema.NullOr(RecipientAccountLinkId),
  label: Schema.NullOr(Schema.String),
  from: Schema.NullOr(Schema.String),
  code: Schema.NullOr(Schema.String),
  namespace: Schema.NullOr(Namespace),
  revenue_code_id: Schema.NullOr(RevenueCodeId),
  jurisdiction: Schema.NullOr(Schema.String)
}).annotate({
  identifier: "DefaultRevenueCode",
  meanings: {
    account: "Link by which the gifts come; null for every link that has no code of its own.",
    label: "What the organisation calls its account; null for every link.",
    from: "Slug of the organisation that recommends.",
    code: "Text of the code; null where none is set.",
    namespace: "System that the code belongs to.",
    revenue_code_id: "The code.",
    jurisdiction: "The jurisdiction that the code is assigned to."
  }
})
export type DefaultCodeRecord = typeof DefaultCodeRecord.Type

const listed = Schema.Struct({ data: Schema.Array(DefaultCodeRecord) })

const operations = Row.table("revenue_codes", {
  default: Row.staffChange(
    "Say by which revenue code gifts of recommendation sets count, which have none of their own",
    [body(DefaultCodeInput)],
    listed
  ),
  defaults: Row.staffRead(
    "List the ways by which gifts of recommendation sets come, each with the revenue code that they count by",
    [],
    listed
  )
})

/** Says by which codes gifts of recommendation sets count at their recipient. For staff of the recipient. law, section 3. */
export class DefaultCodes extends Service<DefaultCodes>()("almoner/app/DefaultCodes", function* () {
  const store = yield* DefaultCodeStore
  const codes = yield* RevenueCodeStore
  const disclosures = yield* DisclosureStore
  const organisations = yield* OrganisationStore
  const journal = yield* ChangeLog
  const transaction = yield* Transaction

  const recordsOf = Effect.fnUntraced(function* (organisation_id: OrganisationId) {
    const set = yield* store.ofOrganisation(organisation_id)
    const links = yield* store.incomingLinks(organisation_id)
    const ways = [null, ...links]
    return yield* Effect.forEach(ways, (link) =>
      Effect.gen(function* () {
        const account = link?.id ?? null
        const chosen = set.find((each) => each.recipient_account_link_id === account)
        const code = chosen === undefined ? Option.none() : yield* codes.find(organisation_id, chosen.revenue_code_id)
        const from = link === null ? Option.none() : yield* organisations.find(link.from_organisation_id)
        const record: DefaultCodeRecord = {
          account,
          label: link?.account_label ?? null,
          from: Option.match(from, { onNone: () => null, onSome: ({ slug }) => slug }),
          ...Option.match(code, {
            onNone: () => ({ code: null, namespace: null, revenue_code_id: null, jurisdiction: null }),
            onSome: ({ code: text, id, jurisdiction, namespace }) => ({
              code: text,
              namespace,
              revenue_code_id: id,
              jurisdiction
            })
          })
        }
        return record
      })
    )
  })

  const codeOf = Effect.fnUntraced(function* (organisation_id: OrganisationId, code: string, namespace: Namespace) {
    const found = yield* codes.findByCode(organisation_id, namespace, code)
    if (Option.isNone(found)) return yield* new NotFound({ record: `${namespace} revenue code`, id: code })
    yield* refuseArchived("revenue code", found.value)
    return found.value.id
  })

  /**
   * Sets the code of a link, or of all links without one. Fails with {@link NotFound} for a code that the organisation has
   * not, and for a link that leads to no account of it, and with {@link RecordArchived} for an archived code. A code that is
   * archived later goes on counting. Answers all that is set then.
   */
  const setDefault = Effect.fn("DefaultCodes.default")(function* (input: DefaultCodeInput) {
    const { account = null, code, namespace = "INTERNAL" } = input
    const { organisation } = yield* requireStaff(operations.default)
    const at = yield* organisationNow
    if (account !== null) {
      const links = yield* store.incomingLinks(organisation.id)
      if (!links.some(({ id }) => id === account)) {
        return yield* new NotFound({ record: "recipient account link to this organisation", id: account })
      }
    }
    if (code === null) yield* store.clear(organisation.id, account)
    else {
      const revenue_code_id = yield* codeOf(organisation.id, code, namespace)
      yield* store.set({
        organisation_id: organisation.id,
        recipient_account_link_id: account,
        revenue_code_id,
        created_at: at
      })
    }
    yield* disclosures.requestRecount(organisation.id, yield* recountTime)
    const operation = operations.default.requires.name
    yield* journal.write({ operation, subject_id: account ?? organisation.id, at, events: [] })
    return { data: yield* recordsOf(organisation.id) }
  }, transaction.run)

  /** Every link that leads to an account of the organisation, after the default for all of them. */
  const listDefaults = Effect.fn("DefaultCodes.defaults")(function* () {
    const { organisation } = yield* requireStaff(operations.defaults)
    return { data: yield* recordsOf(organisation.id) }
  })

  return yield* serviceInOrganisationTime(operations, { default: setDefault, defaults: listDefaults })
}) {}

/** The operations of {@link DefaultCodes}. */
export const defaultCodeOperations = operationsOf(DefaultCodes, operations)

import { Effect, Option, Schema } from "effect"
import { Actor, RequestId } from "../../domain/access/Caller.ts"
import { Cidr } from "../../domain/access/Cidr.ts"
import {
  LinkedOrganisationRecord,
  LiveSlug,
  linkedListing,
  Organisation,
  OrganisationPatch,
  OwnOrganisation,
  sandboxSuffix,
  twinSlug
} from "../../domain/access/Organisation.ts"
import { Plan } from "../../domain/access/Plan.ts"
import type { StaffRequirement } from "../../domain/access/Policy.ts"
import { Timezone } from "../../domain/kernel/CalendarDate.ts"
import { isChargeable } from "../../domain/kernel/ChargeCurrency.ts"
import { OrganisationId } from "../../domain/kernel/Ids.ts"
import { CurrencyInUse } from "../../domain/kernel/Money.ts"
import { InvalidInput } from "../../domain/kernel/Rejection.ts"
import { FilledName, GivenId, nameOrNull } from "../../domain/kernel/Text.ts"
import { CurrentCaller } from "../../ports/access/CurrentCaller.ts"
import { LinkedOrganisationStore } from "../../ports/access/LinkedOrganisationStore.ts"
import { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { realNow } from "../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { Reactions } from "../kernel/reaction/Reactions.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"
import { actingIn, requireScope, requireStaff, type WithRequirement } from "./caller/CallerContext.ts"
import { ChangeLog } from "./change/Change.ts"
import { KeyCache } from "./key/KeyCache.ts"
import { body, id, operationsOf, optionalBody, value } from "./operation/Operation.ts"
import * as Row from "./operation/OperationRow.ts"
import { listMethod, readMethod } from "./operation/RecordReads.ts"
import { checkedService } from "./operation/ServiceChecks.ts"

/** The actor that makes an organisation, which has no caller of its own before it exists. */
const Operator = Schema.Struct({ actor: Actor, request_id: RequestId })
/** The actor that makes an organisation. */
export type Operator = typeof Operator.Type

/** The input of a new organisation, which an operator gives. decisions, section 4: Organisations. */
export const NewOrganisation = Schema.Struct({
  slug: LiveSlug,
  name: FilledName,
  timezone: Timezone,
  default_currency: CurrencyInUse,
  plan: Plan,
  /** Networks opened to the sandbox twin's webhooks, CIDR. */
  sandbox_webhook_cidrs: Schema.Array(Cidr)
})
export type NewOrganisation = typeof NewOrganisation.Type

/** A name, trimmed. Fails with {@link InvalidInput} when it is empty. */
const filled = (given: string): Effect.Effect<string, InvalidInput> => {
  const name = nameOrNull(given)
  return name === null
    ? Effect.fail(new InvalidInput({ param: "name", message: "name must not be empty." }))
    : Effect.succeed(name)
}

/** The input of a new organisation. Of what is left out, the plan is FREE, and no network is opened. */
const GivenOrganisation = NewOrganisation.mapFields((fields) => ({
  ...fields,
  plan: Schema.optionalKey(fields.plan),
  sandbox_webhook_cidrs: Schema.optionalKey(fields.sandbox_webhook_cidrs)
})).annotate({ identifier: "NewOrganisation" })

/** Who keeps the installation, as the audit names it. */
const GivenOperator = Schema.Struct({
  actor: Schema.optionalKey(Actor),
  request_id: Schema.optionalKey(RequestId)
}).annotate({ identifier: "Operator" })

const OrganisationPair = Schema.Struct({ live: Organisation, sandbox: Organisation }).annotate({
  identifier: "OrganisationPair"
})

const host: Operator = { actor: { type: "SYSTEM", id: "host" }, request_id: "host" }

const operations = Row.table("organisations", {
  readOwn: Row.read("Read the key's organisation", [], OwnOrganisation),
  updateOwn: Row.change("Change the key's organisation", [body(OrganisationPatch, OwnOrganisation)], OwnOrganisation),
  list: Row.list("List linked organisations", linkedListing, LinkedOrganisationRecord),
  read: Row.read("Read a linked organisation", [id(OrganisationId, "linked organisation")], LinkedOrganisationRecord),
  setPlan: Row.staffChange("Set the plan of an organisation and of its twin", [value("plan", Plan)], Organisation),
  rename: Row.staffChange(
    "Give an organisation and its twin another name; the slug, which addresses hold, stays",
    [value("name", FilledName)],
    Organisation
  ),
  create: Row.keeper(
    "Make an organisation with its sandbox twin",
    [body(GivenOrganisation), optionalBody(GivenOperator)],
    OrganisationPair
  ),
  findBySlug: Row.keeper("Find an organisation, or a sandbox, by its slug", [value("slug", GivenId)], Organisation),
  listOfInstallation: Row.keeper("List all organisations, oldest first", [], Schema.Array(Organisation))
})

/** All methods that are checked: those of this service take an organisation whole, and its operations less. */
export const methods = {
  ...operations,
  create: { requires: null, input: [body(NewOrganisation), body(Operator)] }
} as const

/** Makes and keeps organisations. decisions, section 4: Organisations; section 9. */
export class Organisations extends Service<Organisations>()("almoner/app/Organisations", function* () {
  const store = yield* OrganisationStore
  const linked = yield* LinkedOrganisationStore
  const cache = yield* KeyCache
  const changeLog = yield* ChangeLog
  const reactions = yield* Reactions
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  const insert = Effect.fnUntraced(function* (input: NewOrganisation, operator: Operator, is_sandbox: boolean) {
    const at = yield* realNow
    const organisation: Organisation = {
      id: yield* tokens.id("organisation"),
      slug: is_sandbox ? input.slug + sandboxSuffix : input.slug,
      name: input.name.trim(),
      is_sandbox,
      timezone: input.timezone,
      default_currency: input.default_currency,
      abn: null,
      website_url: null,
      plan: input.plan,
      webhook_allowed_cidrs: is_sandbox ? input.sandbox_webhook_cidrs : [],
      created_at: at,
      updated_at: at
    }
    yield* store.insert(organisation)
    yield* changeLog
      .write({ operation: "organisations.create", subject_id: organisation.id, at, events: [] })
      .pipe(Effect.provideService(CurrentCaller, { ...operator, organisation, scope: "WRITE" }))
    return organisation
  })

  /**
   * Makes an organisation with its sandbox twin. Fails with {@link AlreadyTaken} when a slug is in use, and with
   * {@link InvalidInput} of `default_currency` for one in which no gifts are taken. For operators.
   */
  const create = Effect.fn("Organisations.create")(function* (input: NewOrganisation, operator: Operator) {
    if (!isChargeable(input.default_currency)) {
      const message = `default_currency must be one with hundredths, or JPY: no gifts are taken in ${input.default_currency}.`
      return yield* new InvalidInput({ param: "default_currency", message })
    }
    const live = yield* insert(input, operator, false)
    const sandbox = yield* insert(input, operator, true)
    return { live, sandbox }
  }, transaction.run)

  /** All organisations, oldest first. For operators. */
  const listOfInstallation = store.all

  const findBySlug = Effect.fn("Organisations.findBySlug")(function* (slug: string) {
    return yield* store.findBySlug(slug).pipe(orNotFound("organisation", slug))
  })

  const ownForUpdate = Effect.fnUntraced(function* (organisation: Organisation) {
    return yield* store.findForUpdate(organisation.id).pipe(orNotFound("organisation", organisation.id))
  })

  const twinOf = Effect.fnUntraced(function* (organisation: Organisation) {
    const found = yield* store.findBySlug(twinSlug(organisation))
    return Option.filter(found, ({ is_sandbox }) => is_sandbox !== organisation.is_sandbox)
  })

  /**
   * Applies a change to the caller's organisation and to its twin, with an audit entry in each, and returns the
   * caller's. For operators.
   */
  const changeBoth = Effect.fnUntraced(function* (
    operation: WithRequirement<StaffRequirement>,
    patch: Partial<Pick<Organisation, "name" | "plan">>
  ) {
    const { actor, organisation, request_id } = yield* requireStaff(operation)
    const both = [organisation, ...Option.toArray(yield* twinOf(organisation))]
    // Locked in one order, so that changes through either organisation wait for each other without a deadlock.
    for (const id of both.map(({ id }) => id).sort()) yield* store.findForUpdate(id)
    const at = yield* realNow
    const change = Effect.fnUntraced(function* (which: Organisation) {
      const after: Organisation = { ...(yield* ownForUpdate(which)), ...patch, updated_at: at }
      yield* store.update(after)
      yield* changeLog
        .write({ operation: operation.requires.name, subject_id: after.id, at, events: [] })
        .pipe(actingIn(after, actor, request_id))
      return after
    })
    const [own] = yield* Effect.all([change(organisation), ...both.slice(1).map(change)])
    yield* transaction.afterCommit(cache.forget)
    return own
  })

  /** Sets the plan of the caller's organisation and of its twin. For operators. */
  const setPlan = Effect.fn("Organisations.setPlan")(
    (plan: Plan) => changeBoth(operations.setPlan, { plan }),
    transaction.run
  )

  /** Renames the caller's organisation and its twin. Their slugs stay, because addresses contain them. For operators. */
  const rename = Effect.fn("Organisations.rename")(function* (given: string) {
    return yield* changeBoth(operations.rename, { name: yield* filled(given) })
  }, transaction.run)

  const readOwn = Effect.fn("Organisations.readOwn")(function* () {
    const { organisation } = yield* requireScope(operations.readOwn)
    return yield* store.find(organisation.id).pipe(orNotFound("organisation", organisation.id))
  })

  /** Changes name, timezone, ABN or website. A new timezone moves no gift: gifts keep their calendar day. */
  const updateOwn = Effect.fn("Organisations.updateOwn")(function* (patch: OrganisationPatch) {
    const { organisation } = yield* requireScope(operations.updateOwn)
    const before = yield* ownForUpdate(organisation)
    const name = patch.name === undefined ? before.name : yield* filled(patch.name)
    const at = yield* realNow
    const { abn = before.abn, website_url = before.website_url } = patch
    const texts = { name, abn: nameOrNull(abn), website_url: nameOrNull(website_url) }
    const edited: Organisation = { ...before, ...patch, ...texts }
    const changed = Object.keys(patch).length > 0
    const after: Organisation = changed ? { ...edited, updated_at: at } : before
    if (changed) yield* store.update(after)
    if (after.timezone !== before.timezone) yield* reactions.timezoneChanged(after.id)
    yield* changeLog.write({ operation: operations.updateOwn.requires.name, subject_id: after.id, at, events: [] })
    yield* transaction.afterCommit(cache.forget)
    return after
  }, transaction.run)

  /** The organisations that the caller's has active links to. */
  const list = listMethod("Organisations.list", operations.list, linked)
  const read = readMethod("Organisations.read", operations.read, "linked organisation", linked)

  return checkedService(methods, {
    create,
    listOfInstallation,
    findBySlug,
    setPlan,
    rename,
    readOwn,
    updateOwn,
    list,
    read
  })
}) {}

/** The operations of {@link Organisations}. */
export const organisationOperations = operationsOf(Organisations, operations, {
  create: {
    run: (use, input, operator) =>
      use.create({ plan: "FREE", sandbox_webhook_cidrs: [], ...input }, { ...host, ...operator })
  }
})

import { type DateTime, Effect, Option, Result } from "effect"
import { type Integration, isDefault, listing } from "../../../domain/access/Integration.ts"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { mayUse } from "../../../domain/access/Processor.ts"
import { isChargeable } from "../../../domain/kernel/ChargeCurrency.ts"
import type { IntegrationId } from "../../../domain/kernel/Ids.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { parse } from "../../../domain/kernel/Listing.ts"
import { decide } from "../../../domain/kernel/Machine.ts"
import type { PaymentMethod } from "../../../domain/kernel/PaymentMethod.ts"
import { publicUrl } from "../../../domain/kernel/PublicAddress.ts"
import { type AmountBounds, isWithinBounds } from "../../../domain/payments/MethodBounds.ts"
import * as PaymentException from "../../../domain/payments/PaymentException.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { PublicUrlTemplate } from "../../../ports/kernel/PublicUrlTemplate.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { PaymentExceptionStore } from "../../../ports/payments/PaymentExceptionStore.ts"
import {
  type PaymentProcessor,
  PaymentProcessors,
  type ProcessorFailure,
  ProcessorRefused,
  processorNotConfigured
} from "../../../ports/payments/PaymentProcessors.ts"
import { actingIn, makeOrganisationTime } from "../../access/caller/CallerContext.ts"
import { ChangeLog } from "../../access/change/Change.ts"
import { makeExceptionReporter } from "../exception/ExceptionReporter.ts"

/** The account that takes an organisation's gifts, and how they may be paid there. */
export interface PaymentAccount {
  readonly integration: Integration
  readonly processor: PaymentProcessor
  readonly methods: ReadonlyArray<PaymentMethod>
}

/** A page's payment: an account where it names one, the currency, and the amount and the methods where it limits them. */
export interface Payable {
  readonly integration_id: IntegrationId | null
  readonly currency: string
  /** The only amount that is given there, minor units; null where its donor chooses. */
  readonly amount_cents: number | null
  readonly methods: ReadonlyArray<PaymentMethod> | null
  /** Whether it goes on to other organisations: from an own account nothing can. */
  readonly is_shared: boolean
}

/** The accounts that a page is paid at, its own first: each of its methods is at one of them. None where it takes nothing. */
export type Offer = ReadonlyArray<PaymentAccount>

/** How a page may be paid. */
export const methodsOf = (offer: Offer): ReadonlyArray<PaymentMethod> => offer.flatMap(({ methods }) => methods)

export const takerOf = (offer: Offer, method: PaymentMethod): PaymentAccount | undefined =>
  offer.find(({ methods }) => methods.includes(method))

/** The bounds of what an account takes at once by a method, as its processor has them. */
export const boundsOf = (
  { integration, processor: { capabilities } }: Pick<PaymentAccount, "integration" | "processor">,
  method: PaymentMethod
): AmountBounds => {
  const { settlement_currency: currency } = integration
  const { maximum_cents = Limits.donationMaximumCents, minimum_cents = {} } = capabilities.bounds?.[method] ?? {}
  return {
    minimum_cents: (Object.hasOwn(minimum_cents, currency) ? minimum_cents[currency] : undefined) ?? null,
    maximum_cents: Math.min(maximum_cents, Limits.donationMaximumCents)
  }
}

type Processors = Pick<PaymentProcessors["Service"], "find">

/** How an account takes what is asked for: not at all where it takes nothing of it now. */
const takenBy = (
  processors: Processors,
  organisation: Organisation,
  asked: Payable,
  integration: Integration
): Offer => {
  const { charges_enabled, is_active, is_own, methods, processor: name, settlement_currency } = integration
  const processor = Option.getOrUndefined(processors.find(name))
  if (processor === undefined || !is_active || !charges_enabled || !mayUse(organisation, name)) return []
  if (settlement_currency !== asked.currency || !isChargeable(settlement_currency)) return []
  const offered = methods.filter(
    (method) =>
      processor.capabilities.methods.includes(method) &&
      (asked.methods === null || asked.methods.includes(method)) &&
      (asked.amount_cents === null || isWithinBounds(asked.amount_cents, boundsOf({ integration, processor }, method)))
  )
  return offered.length === 0 || (is_own && asked.is_shared) ? [] : [{ integration, processor, methods: offered }]
}

/**
 * How a page is paid with the accounts of its organisation, newest first: at the one that it names, or else at the default one,
 * where that is active, can be charged now, is at a processor that this installation has, and takes the amount in the currency
 * that is asked for, in which it is paid out. Where it names none and the default one takes no bank transfer, those go to the newest other account that takes
 * them, so that a donor can give without a script. What is shared with other organisations, no own account takes. pages, section 1.
 */
export const offerOf =
  (processors: Processors, organisation: Organisation, accounts: ReadonlyArray<Integration>) =>
  (asked: Payable): Offer => {
    const isNamed = asked.integration_id !== null
    const chosen = accounts.find((account) => (isNamed ? account.id === asked.integration_id : isDefault(account)))
    // Whoever has no default account takes no gifts, and whose one is an own account shares none.
    if (chosen === undefined || (chosen.is_own && asked.is_shared)) return []
    const own = takenBy(processors, organisation, asked, chosen)
    if (isNamed || takerOf(own, "bank_transfer") !== undefined) return own
    const methods = (asked.methods ?? (["bank_transfer"] as const)).filter((method) => method === "bank_transfer")
    const transfers = accounts.flatMap((account) => takenBy(processors, organisation, { ...asked, methods }, account))
    return [...own, ...transfers.slice(0, 1)]
  }

/** Whether the processor needs the donor's payment token: a donor who transfers gives it none. */
export const takesToken = ({ processor }: PaymentAccount, method: PaymentMethod): boolean =>
  processor.capabilities.confirms && method !== "bank_transfer"

export const makePaymentAccounts = Effect.gen(function* () {
  const integrations = yield* IntegrationStore
  const processors = yield* PaymentProcessors

  /** All integrations of an organisation, newest first. */
  const all = Effect.fnUntraced(function* ({ id }: Organisation) {
    const found: Array<Integration> = []
    for (let more = true; more; ) {
      const after = found.at(-1)?.id
      const paging = [
        ["limit", String(Limits.pageMaximum)],
        ...(after === undefined ? [] : [["starting_after", after]])
      ]
      const query = Effect.fromResult(
        parse(
          listing,
          paging.map(([name = "", value = ""]) => [name, value] as const)
        )
      )
      const page = yield* Effect.orDie(Effect.flatMap(query, (asked) => integrations.list(id, asked)))
      found.push(...page.data)
      more = page.has_more
    }
    return found
  })

  /** How pages are paid with the accounts that an organisation has now. */
  const offers = (organisation: Organisation) =>
    Effect.map(all(organisation), (accounts) => offerOf(processors, organisation, accounts))

  return { all, offers } as const
})

/**
 * Has the processor of an account know the host of its organisation's pages, so that wallets are offered there; a wallet that is
 * not is logged with the reason. Browsers offer none without https. pages, section 2: Wallets.
 */
export const makePageDomains = Effect.gen(function* () {
  const organisations = yield* OrganisationStore
  const processors = yield* PaymentProcessors
  const template = yield* PublicUrlTemplate

  return Effect.fnUntraced(function* (integration: Integration) {
    const { organisation_id } = integration
    const processor = Option.getOrUndefined(processors.find(integration.processor))
    const organisation = yield* organisations.find(organisation_id)
    const page = Option.map(organisation, ({ slug }) => new URL(publicUrl(template, slug, "/")))
    if (processor?.registerDomain === undefined || Option.isNone(page) || page.value.protocol !== "https:") return
    const { hostname } = page.value
    const answer = yield* Effect.result(processor.registerDomain(integration, hostname))
    const refused = Result.isSuccess(answer) ? answer.success : [{ wallet: "Wallets", reason: answer.failure.message }]
    for (const { reason, wallet } of refused) {
      yield* Effect.logWarning(`${wallet} of ${integration.id} is not offered on ${hostname}: ${reason}`)
    }
  })
})

const operation = "integrations.check"

const settler = { type: "SYSTEM", id: "settler" } as const

const actor = `${settler.type} ${settler.id}`

/** Whether the processor lets an account take charges; its code where it refuses the account. */
interface Standing {
  readonly charges_enabled: boolean
  readonly code?: string
}

/** An exception is opened when it begins: while it lasts no other is, also where somebody has resolved it. */
const disabled = ({ id, label, processor }: Integration, code: string | undefined) =>
  ({
    kind: "account_disabled",
    charge_id: null,
    subject_id: id,
    amount_cents: 0,
    reason:
      code === undefined
        ? `${processor} takes no charges for the account ${label} any more. See there what it asks for.`
        : `${processor} refuses the account ${label} (${code}): it was closed, or its organisation took its permission back. Connect it anew, or give another account.`
  }) as const

/** The standing that an answer tells of. A refusal is one; silence tells nothing, and nor does a refusal by nobody who was asked. */
const standingOf = (answer: Result.Result<Standing, ProcessorFailure>): Standing | null => {
  if (Result.isSuccess(answer)) return answer.success
  const { failure } = answer
  return failure._tag === "ProcessorRefused" && failure.code !== processorNotConfigured
    ? { charges_enabled: false, code: failure.code }
    : null
}

const unasked = ({ processor }: Integration): ProcessorFailure =>
  new ProcessorRefused({
    code: processorNotConfigured,
    message: `There is no key of ${processor} here, so that nobody was asked about the account. Set the processor's keys.`
  })

/** The monitor of accounts: it writes whether the processor lets each take charges. money, section 2: Integration. */
export const makeAccountMonitor = Effect.gen(function* () {
  const integrations = yield* IntegrationStore
  const organisations = yield* OrganisationStore
  const processors = yield* PaymentProcessors
  const accounts = yield* makePaymentAccounts
  const changeLog = yield* ChangeLog
  const timeOf = yield* makeOrganisationTime
  const tokens = yield* Tokens
  const transaction = yield* Transaction
  const exceptions = yield* PaymentExceptionStore
  const exceptionReporter = yield* makeExceptionReporter
  const registerDomain = yield* makePageDomains

  /** It takes charges again: nobody has to look any more. */
  const resolve = Effect.fnUntraced(function* ({ id, organisation_id }: Integration, at: DateTime.Utc) {
    for (const { id: exception_id, kind } of yield* exceptions.ofSubject(organisation_id, id)) {
      const held =
        kind === "account_disabled" ? yield* exceptions.findForUpdate(organisation_id, exception_id) : Option.none()
      if (Option.isNone(held) || held.value.status !== "OPEN") continue
      const command = {
        _tag: "Resolve",
        at,
        note: "The account takes charges again.",
        by: actor,
        donation_id: null
      } as const
      const { state } = yield* Effect.orDie(Effect.fromResult(decide(PaymentException.machine, held.value, command)))
      yield* exceptions.update(state)
      yield* changeLog.write({ operation, subject_id: exception_id, at, events: [] })
    }
  })

  const write = Effect.fnUntraced(function* (
    { id, organisation_id }: Integration,
    { charges_enabled, code }: Standing
  ) {
    const held = yield* integrations.findForUpdate(organisation_id, id)
    if (Option.isNone(held) || held.value.charges_enabled === charges_enabled) return
    const at = yield* organisationNow
    yield* integrations.update({ ...held.value, charges_enabled, updated_at: at })
    yield* changeLog.write({ operation, subject_id: id, at, events: [] })
    if (charges_enabled) yield* resolve(held.value, at)
    else yield* exceptionReporter.write(held.value, disabled(held.value, code), at)
  }, transaction.run)

  const check = Effect.fnUntraced(function* (organisation: Organisation, integration: Integration, request_id: string) {
    const processor = processors.find(integration.processor)
    if (Option.isNone(processor)) return Option.some(unasked(integration))
    const answer = yield* Effect.result(processor.value.fetchAccount(integration))
    const standing = standingOf(answer)
    if (standing !== null) {
      if (standing.charges_enabled) yield* registerDomain(integration)
      if (standing.charges_enabled === integration.charges_enabled) return Option.none()
      yield* write(integration, standing).pipe(actingIn(organisation, settler, request_id), timeOf(organisation.id))
      return Option.none()
    }
    const failure = Result.getFailure(answer)
    // Its state is unknown now: the last one counts until the next day.
    if (Option.isSome(failure)) {
      yield* Effect.logWarning(
        `The account of the integration ${integration.id} could not be looked at: ${failure.value.message}`
      )
    }
    return failure
  })

  /** Asks the processor about one account; how that failed, if it did. */
  const one = Effect.fnUntraced(function* (integration: Integration) {
    const organisation = yield* organisations.find(integration.organisation_id)
    if (Option.isNone(organisation)) return Option.none()
    return yield* check(organisation.value, integration, yield* tokens.id("request"))
  })

  /** Asks every processor about the accounts of all organisations. */
  const all = Effect.gen(function* () {
    const request_id = yield* tokens.id("request")
    for (const organisation of yield* organisations.all) {
      for (const integration of yield* accounts.all(organisation)) {
        if (integration.is_active) yield* check(organisation, integration, request_id)
      }
    }
  })

  return { all, one } as const
})

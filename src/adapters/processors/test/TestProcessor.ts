import { DateTime, Effect, Layer, Option, Result } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { Refund } from "../../../domain/giving/Refund.ts"
import { addTime, subtractTime } from "../../../domain/kernel/InstantRange.ts"
import type { Mandate } from "../../../domain/payments/Mandate.ts"
import type { NextStep } from "../../../domain/payments/NextStep.ts"
import { beginOf, dayAfter } from "../../../domain/payments/Reconciliation.ts"
import { absent } from "../../../domain/payments/Snapshot.ts"
import * as Bank from "../../../domain/payments/TestBank.ts"
import { advance } from "../../../domain/payments/TestBank.ts"
import { standardAccount, type TestAccount, type TestCharge } from "../../../domain/payments/TestCharge.ts"
import * as Mandates from "../../../domain/payments/TestMandates.ts"
import { keyHours, ruleOf, testMethods } from "../../../domain/payments/TestRules.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import type { Macs } from "../../../ports/kernel/Macs.ts"
import type { Tokens } from "../../../ports/kernel/Tokens.ts"
import { Repeatable, Transaction } from "../../../ports/kernel/Transaction.ts"
import {
  type Account,
  type ChargeContext,
  type MandateState,
  type PaymentProcessor,
  PaymentProcessors,
  ProcessorRefused,
  ProcessorUnreachable
} from "../../../ports/payments/PaymentProcessors.ts"
import type { Movement, ProcessorStatements, StatementPage } from "../../../ports/payments/ProcessorStatements.ts"
import { makeTestBankChange, TestBank } from "../../../ports/payments/TestBank.ts"
import { guardDefects } from "../DefectGuard.ts"
import { makeNotices } from "./TestNotices.ts"
import { transfersOf } from "./Transfers.ts"

/** Charges on a page of the simulated bank. */
const pageSize = 100

type Ask = <A>(
  integration: Integration,
  request: Effect.Effect<A, ProcessorRefused>
) => Effect.Effect<A, ProcessorRefused | ProcessorUnreachable>

const pageOf = <A>(found: ReadonlyArray<TestCharge>, data: ReadonlyArray<A>): StatementPage<A> => ({
  data,
  next: found.length < pageSize ? null : (found.at(-1)?.id ?? null)
})

const movementsOf = ({ currency, id, movements }: TestCharge): ReadonlyArray<Movement> =>
  movements.map((each) => ({ ...each, charge_reference: id, currency }))

/** The simulated bank's statements: pages are of charges, with whatever each of them moved. */
const statementsOf = (bank: TestBank["Service"], ask: Ask): ProcessorStatements => ({
  listCreated: (integration, since, page) => {
    const { id, organisation_id } = integration
    return ask(
      integration,
      Effect.map(bank.ofAccount(organisation_id, id, { since }, page, pageSize), (found) =>
        pageOf(
          found,
          found.map(({ charge_id, created_at, id: reference }) => ({ charge_id, created_at, reference }))
        )
      )
    )
  },
  movements: (integration, day, page) => {
    const { id, organisation_id } = integration
    const [begin, end] = [beginOf(day), beginOf(dayAfter(day))]
    return ask(
      integration,
      Effect.gen(function* () {
        const found = yield* bank.ofAccount(organisation_id, id, { before: end, changed: begin }, page, pageSize)
        const now = yield* bank.now
        const moved = found
          .flatMap((charge) => movementsOf(advance(charge, now)))
          .filter(({ at }) => DateTime.isGreaterThanOrEqualTo(at, begin) && DateTime.isLessThan(at, end))
        return pageOf(found, moved)
      })
    )
  }
})

/** The processor that sandboxes have. money, section 3: Test processor. */
export const name = "test"

/** How long a link to fill in a form is valid. */
const linkMinutes = 5

/** Where an account is paid out when nobody says in which currency. */
const standardCurrency = "AUD"

const refusedWith = ({ code, message }: Bank.Refusal) => new ProcessorRefused({ code, message })

const unknown = (): ProcessorRefused =>
  new ProcessorRefused({ code: "no_such_charge", message: "The test processor has no such charge." })

const disabled = new ProcessorRefused({ code: "account_disabled", message: "The account takes no charges." })

const orUnknown = <A>(found: Option.Option<A>) => Effect.mapError(Effect.fromOption(found), unknown)

/** A lost request or answer looks the same to whoever waits for it. */
const silence = new ProcessorUnreachable({ reason: "timeout" })

/** Whether a charge keeps what it was paid with: the first one of a recurring gift. */
const savedBy = ({ purpose }: ChargeContext["charge"], mandate: ChargeContext["mandate"]): boolean =>
  mandate != null && purpose !== "invoice"

const madeFor = ({ charge, integration, mandate }: ChargeContext, now: DateTime.Utc): TestCharge => ({
  id: `test_${charge.id}`,
  organisation_id: charge.organisation_id,
  integration_id: integration.id,
  charge_id: charge.id,
  idempotency_key: charge.id,
  method: charge.method,
  amount_cents: charge.amount_cents,
  currency: charge.currency,
  status: "created",
  failure_code: null,
  fee_cents: null,
  payment_token: null,
  mandate: savedBy(charge, mandate) ? "WORKING" : null,
  refunds: [],
  disputes: [],
  transfers: [],
  movements: [],
  scheduled: [],
  created_at: now,
  updated_at: now
})

const askingOf = (bank: TestBank["Service"], transaction: Transaction["Service"]) => {
  /** Asks the bank something of an account, as far as it is reached. Broken machinery says nothing of what happened. */
  const reached = <A>(
    { id, organisation_id }: Integration,
    request: (account: TestAccount) => Effect.Effect<A, ProcessorRefused>
  ): Effect.Effect<A, ProcessorRefused | ProcessorUnreachable> =>
    Effect.gen(function* () {
      const account = Option.getOrElse(yield* bank.account(organisation_id, id), () =>
        standardAccount(organisation_id, id)
      )
      const { reach } = account
      if (reach === "LOST") return yield* silence
      const answer = yield* Effect.result(request(account))
      if (reach === "ANSWER_LOST") return yield* silence
      return yield* Effect.fromResult(answer)
    }).pipe(guardDefects("The simulated bank failed"))

  /** Has the bank do something, all of it or nothing. */
  const ask = <A>(integration: Integration, request: Effect.Effect<A, ProcessorRefused>) =>
    reached(integration, () => transaction.run(request))

  /** Has the bank tell something. */
  const look = <A>(integration: Integration, request: Effect.Effect<A, ProcessorRefused>) =>
    reached(integration, () => request)

  /** As {@link ask}, where the account takes charges. */
  const charge = <A>(integration: Integration, request: (account: TestAccount) => Effect.Effect<A, ProcessorRefused>) =>
    reached(integration, (account) =>
      account.charges_enabled ? Effect.provideService(transaction.run(request(account)), Repeatable, true) : disabled
    )

  return { reached, ask, look, charge } as const
}

/**
 * The test processor over a bank that is simulated in the installation's own database. It behaves as its numbers say
 * (`TestRules.ts`), and is moved by hand through `TestProcessor` of the use cases.
 */
export const make = Effect.gen(function* () {
  const bank = yield* TestBank
  const organisations = yield* OrganisationStore
  const transaction = yield* Transaction
  const notices = yield* makeNotices
  const written = yield* makeTestBankChange

  const { ask, charge, look, reached } = askingOf(bank, transaction)

  /** The bank's charge of this account that was made for ours, at its latest change. */
  const made = ({ charge, integration }: ChargeContext) =>
    Effect.map(bank.ofCharge(charge.organisation_id, charge.id), (found) =>
      Option.fromNullishOr(found.find(({ integration_id }) => integration_id === integration.id))
    )

  /** The same as it stands now. */
  const find = Effect.fnUntraced(function* (charging: ChargeContext) {
    const found = yield* made(charging)
    if (Option.isNone(found)) return found
    return Option.some(Bank.advance(found.value, yield* bank.now))
  })

  /** The same, held until the transaction ends. */
  const hold = Effect.fnUntraced(function* (charging: ChargeContext) {
    const { organisation_id, reference } = charging.charge
    const id = reference ?? (yield* orUnknown(yield* made(charging))).id
    const held = yield* orUnknown(
      Option.filter(
        yield* bank.findForUpdate(organisation_id, id),
        ({ integration_id }) => integration_id === charging.integration.id
      )
    )
    const now = yield* bank.now
    return { held, charge: Bank.advance(held, now), now }
  })

  const change = (
    charging: ChargeContext,
    move: (charge: TestCharge, now: DateTime.Utc) => Result.Result<TestCharge, Bank.Refusal>,
    account?: TestAccount
  ) =>
    Effect.gen(function* () {
      const { charge, held, now } = yield* hold(charging)
      const after = yield* Effect.fromResult(Result.mapError(move(charge, now), refusedWith))
      yield* written.charge(held, after, account)
    })

  const requireKnownMethod = ({ method }: ChargeContext["charge"]) =>
    testMethods.some((each) => each === method)
      ? Effect.void
      : new ProcessorRefused({ code: "method_unknown", message: `The test processor takes no ${method}.` })

  /** A key is forgotten some day: what was made under it is looked for first. */
  const begin = Effect.fnUntraced(function* (charging: ChargeContext, { charges_enabled }: TestAccount) {
    const known = yield* made(charging)
    if (Option.isSome(known)) return { reference: known.value.id }
    yield* requireKnownMethod(charging.charge)
    if (!charges_enabled) return yield* disabled
    const now = yield* bank.now
    const begun = yield* bank.findOrInsert(madeFor(charging, now), subtractTime(now, { hours: keyHours }))
    return { reference: begun.id }
  })

  const confirm = (charging: ChargeContext, payment_token: string, account: TestAccount) =>
    change(charging, (found, now) => Bank.confirm(found, payment_token, now), account)

  /** The charge that has kept what a mandate is. */
  const savedFor = ({ organisation_id, reference }: Mandate, find: "find" | "findForUpdate") =>
    reference === null
      ? Effect.succeedNone
      : Effect.map(
          bank[find](organisation_id, reference),
          Option.filter((found) => found.mandate !== null)
        )

  const chargeMandate = Effect.fnUntraced(function* (charging: ChargeContext, mandate: Mandate, account: TestAccount) {
    const saved = yield* orUnknown(yield* savedFor(mandate, "findForUpdate"))
    yield* change(charging, (charge, now) => Mandates.chargeMandate(charge, saved, now), account)
  })

  const fetchMandate = Effect.fnUntraced(function* (mandate: Mandate) {
    const state: MandateState = Option.exists(yield* savedFor(mandate, "find"), (saved) => saved.mandate !== "REVOKED")
      ? "active"
      : "revoked"
    return state
  })

  const revokeMandate = Effect.fnUntraced(function* (mandate: Mandate) {
    const saved = yield* savedFor(mandate, "findForUpdate")
    if (Option.isNone(saved)) return
    const moved = Mandates.mandateSet(saved.value, "REVOKED", yield* bank.now)
    yield* written.charge(saved.value, yield* Effect.fromResult(Result.mapError(moved, refusedWith)))
  })

  const refund = Effect.fnUntraced(function* (charging: ChargeContext, { amount_cents, id }: Refund) {
    const { charge, held, now } = yield* hold(charging)
    const known = charge.refunds.find(({ refund_id }) => refund_id === id)
    if (known !== undefined) return { reference: known.reference }
    const asked = { refund_id: id, idempotency_key: id, amount_cents }
    const { charge: after, reference } = yield* Effect.fromResult(
      Result.mapError(Bank.refund(charge, asked, now), refusedWith)
    )
    yield* written.charge(held, after)
    return { reference }
  })

  const fetchAccount = Effect.fnUntraced(function* ({ id, organisation_id }: Integration) {
    const account = yield* bank.account(organisation_id, id)
    const organisation = yield* organisations.find(organisation_id)
    const found: Account = {
      charges_enabled: Option.match(account, { onNone: () => true, onSome: (each) => each.charges_enabled }),
      currency: Option.match(organisation, { onNone: () => standardCurrency, onSome: (each) => each.default_currency })
    }
    return found
  })

  const processor: PaymentProcessor = {
    capabilities: { methods: testMethods, refunds: true, confirms: true, statements: true },
    begin: (charging) => reached(charging.integration, (account) => begin(charging, account)),
    confirm: (charging, payment_token) => {
      const lost = ruleOf(charging.charge.method, payment_token)?.lost
      if (lost === "request") return silence
      const answer = charge(charging.integration, (account) => confirm(charging, payment_token, account))
      return lost === "answer" ? Effect.andThen(answer, silence) : answer
    },
    chargeMandate: (charging, mandate) =>
      charge(charging.integration, (account) => chargeMandate(charging, mandate, account)),
    fetchMandate: (integration, mandate) => look(integration, fetchMandate(mandate)),
    revokeMandate: (integration, mandate) => ask(integration, revokeMandate(mandate)),
    cancel: (charging) =>
      ask(
        charging.integration,
        Effect.catchTag(
          change(charging, (charge, now) => Result.succeed(Bank.cancel(charge, now))),
          "ProcessorRefused",
          () => Effect.void
        )
      ),
    fetchCharge: (charging) =>
      look(
        charging.integration,
        Effect.map(find(charging), Option.match({ onNone: () => absent(charging.charge), onSome: Bank.snapshotOf }))
      ),
    nextStep: (charging) =>
      look(
        charging.integration,
        Effect.map(
          find(charging),
          Option.flatMap(
            ({ status }): Option.Option<NextStep> =>
              status === "waiting" ? Option.some({ _tag: "Approval" }) : Option.none()
          )
        )
      ),
    refund: (charging, asked) => ask(charging.integration, refund(charging, asked)),
    fetchAccount: (integration) => ask(integration, fetchAccount(integration)),
    onboarding: {
      // It asks for nothing, so that whoever comes is sent back at once.
      openAccount: ({ id }) => Effect.succeed({ account_id: `test_${id}` }),
      onboard: (integration, { return_url }) =>
        ask(
          integration,
          Effect.map(bank.now, (now) => ({ url: return_url, expires_at: addTime(now, { minutes: linkMinutes }) }))
        )
    },
    pageKey: () => Effect.succeedNone,
    verifyNotice: notices.verify,
    noticesSince: (integration, cursor) => ask(integration, notices.since(integration, cursor)),
    transfers: transfersOf(bank, { ask, hold, made }, written.charge),
    ...statementsOf(bank, ask)
  }
  return processor
})

/** The processors of an installation that has the test processor only. */
export const layer: Layer.Layer<PaymentProcessors, never, TestBank | OrganisationStore | Transaction | Macs | Tokens> =
  Layer.effect(
    PaymentProcessors,
    Effect.map(make, (processor) =>
      PaymentProcessors.of({ find: (wanted) => (wanted === name ? Option.some(processor) : Option.none()) })
    )
  )

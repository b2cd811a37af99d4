import { type DateTime, Effect, Option, Result } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { Refund } from "../../../domain/giving/Refund.ts"
import type { ChargeId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { type Charge, lapseCode } from "../../../domain/payments/Charge.ts"
import * as PollPlan from "../../../domain/payments/PollPlan.ts"
import { type ChargeState, plan, type Step } from "../../../domain/payments/Settlement.ts"
import type { ChargeSnapshot } from "../../../domain/payments/Snapshot.ts"
import type { SettlementState } from "../../../domain/payments/StepApplication.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { SecretBox } from "../../../ports/kernel/SecretBox.ts"
import {
  type ChargeContext,
  mandatesOf,
  type PaymentProcessor,
  type ProcessorFailure,
  type ProcessorRefused
} from "../../../ports/payments/PaymentProcessors.ts"
import { makeOrganisationTime } from "../../access/caller/CallerContext.ts"
import { actionOf, isConfirmable, type LoadedCharge, makeChargeLoader } from "./ChargeLoader.ts"
import { makeChargeWriter, withRefundReference } from "./ChargeWriter.ts"
import { makeIsCovered } from "./TransferCover.ts"

/** Rounds at one go. What is left after them is done by the worker. */
const rounds = 12

/** The code of a charge whose token cannot be opened any more, because its key left the ring. */
const tokenLost = "payment_token_lost"

/** How a round went, and what is known then: more may be to do; nothing more is to do now; the processor was not reached. */
interface Outcome {
  readonly _tag: "Continue" | "Done" | "Unreached"
  readonly loaded: LoadedCharge
}

const services = Effect.all({
  box: SecretBox,
  isCovered: makeIsCovered,
  loader: makeChargeLoader,
  timeOf: makeOrganisationTime,
  writer: makeChargeWriter
})

type Services = Effect.Success<typeof services>

const isOpen = ({ charge: { ending, status } }: SettlementState): boolean =>
  ending === null && (status === "NEW" || status === "WAITING")

const endStep =
  (failure_code: string) =>
  (state: SettlementState): ReadonlyArray<Step> =>
    isOpen(state) ? [{ _tag: "End", failure_code }] : []

const referStep =
  (reference: string) =>
  ({ charge }: SettlementState): ReadonlyArray<Step> =>
    charge.status === "NEW" && charge.reference === null ? [{ _tag: "Refer", reference }] : []

const failRefundStep =
  (refund_id: Refund["id"]) =>
  ({ refunds }: SettlementState): ReadonlyArray<Step> =>
    refunds.some(({ id, status }) => id === refund_id && status === "PENDING")
      ? [{ _tag: "FailRefund", refund_id }]
      : []

const noSteps = (): ReadonlyArray<Step> => []

/** Takes over the identifiers of refunds whose answers never came. */
const withRemoteRefunds =
  (remote: ChargeSnapshot, at: DateTime.Utc) =>
  <S extends ChargeState>(state: S): S =>
    remote.refunds.reduce(
      (now, { reference, refund_id }) =>
        refund_id === null ? now : withRefundReference(refund_id, reference, at)(now),
      state
    )

const chargingOf = ({ integration, mandate, state }: LoadedCharge): ChargeContext => ({
  charge: state.charge,
  integration,
  mandate
})

/** Whether nothing of a charge is waited for: no look is planned, and nothing is to be done. */
const isAtRest = (loaded: LoadedCharge): boolean =>
  loaded.state.charge.look_at === null && !PollPlan.isExpected(loaded.state) && actionOf(loaded)._tag === "Fetch"

/** Whether a snapshot has no news, for later ones either: known facts only grow, and no lock is needed. */
const isUnchanged = ({ mandate, state }: LoadedCharge, remote: ChargeSnapshot): boolean =>
  plan(state, remote).length === 0 &&
  withRemoteRefunds(remote, state.charge.updated_at)(state) === state &&
  (mandate?.status !== "PENDING" || remote.mandate_reference == null)

/** What is known then is the state that was written under the lock: nothing of it needs to be read again. */
const outcomeOf =
  (_tag: Outcome["_tag"]) =>
  (loaded: LoadedCharge): Outcome => ({ _tag, loaded })

const apply = ({ writer }: Services, loaded: LoadedCharge, steps: (state: SettlementState) => ReadonlyArray<Step>) =>
  Effect.map(writer.apply(loaded, { steps, wasReached: true }), outcomeOf("Continue"))

const applyUnreached = ({ writer }: Services, loaded: LoadedCharge): Effect.Effect<Outcome> =>
  Effect.map(writer.apply(loaded, { steps: noSteps, wasReached: false }), outcomeOf("Unreached"))

/** Asks a processor, and writes what follows from its answer; `refuse` says what follows from a refusal. */
const request = <A>(
  services: Services,
  loaded: LoadedCharge,
  asking: Effect.Effect<A, ProcessorFailure>,
  then: {
    readonly succeed: (answer: A) => Effect.Effect<Outcome>
    readonly refuse: (refusal: ProcessorRefused) => Effect.Effect<Outcome>
  }
): Effect.Effect<Outcome> =>
  Effect.flatMap(Effect.result(asking), (answer) => {
    if (Result.isSuccess(answer)) return then.succeed(answer.success)
    return answer.failure._tag === "ProcessorRefused" ? then.refuse(answer.failure) : applyUnreached(services, loaded)
  })

const applyRemote = Effect.fnUntraced(function* ({ writer }: Services, loaded: LoadedCharge, remote: ChargeSnapshot) {
  const at = yield* organisationNow
  const { hasChanged, ...after } = yield* writer.apply(loaded, {
    edit: withRemoteRefunds(remote, at),
    steps: (state) => plan(state, remote),
    wasReached: true,
    mandate_reference: remote.mandate_reference ?? null
  })
  return outcomeOf(hasChanged && actionOf(after)._tag !== "Fetch" ? "Continue" : "Done")(after)
})

/** Fetches the processor's state; `then` is what follows from it. */
const fetchRemote = (
  services: Services,
  loaded: LoadedCharge,
  processor: PaymentProcessor,
  then: (remote: ChargeSnapshot) => Effect.Effect<Outcome>
): Effect.Effect<Outcome> =>
  Effect.flatMap(organisationNow, (asked_at) =>
    request(services, loaded, processor.fetchCharge(chargingOf(loaded)), {
      succeed: (remote) => then({ ...remote, asked_at }),
      // A processor that refuses to answer is as one that was not reached.
      refuse: () => applyUnreached(services, loaded)
    })
  )

/** Fetches the processor's state and makes the local one agree with it. */
const fetchAndApply = (services: Services, loaded: LoadedCharge, processor: PaymentProcessor) =>
  fetchRemote(services, loaded, processor, (remote) => applyRemote(services, loaded, remote))

const openToken = ({ box }: Services, { charge }: ChargeState) =>
  charge.sealed_token === null ? Effect.succeedNone : Effect.option(box.open(charge.sealed_token, charge.id))

/** The confirmation of a charge: by the donor's means of payment now, or by the saved one. */
const confirmationOf = (services: Services, loaded: LoadedCharge, processor: PaymentProcessor) => {
  const { mandate, state } = loaded
  const charging = chargingOf(loaded)
  return state.charge.purpose === "invoice"
    ? Effect.succeed(
        Option.flatMap(mandatesOf(processor), (keeps) =>
          Option.map(Option.fromNullishOr(mandate), (by) => keeps.chargeMandate(charging, by))
        )
      )
    : Effect.map(
        openToken(services, state),
        Option.map((token) => processor.confirm(charging, token))
      )
}

/** Has the processor take the money now. */
const sendConfirmation = (
  services: Services,
  loaded: LoadedCharge,
  processor: PaymentProcessor,
  confirmation: Effect.Effect<void, ProcessorFailure>
) =>
  request(services, loaded, confirmation, {
    succeed: () => fetchAndApply(services, loaded, processor),
    refuse: ({ code }) => apply(services, loaded, endStep(code))
  })

/** The charge that was begun is confirmed with the same commit where it can be: none is confirmed without its reference. */
const applyBegun = Effect.fnUntraced(function* (
  services: Services,
  loaded: LoadedCharge,
  processor: PaymentProcessor,
  reference: string
) {
  const charge = { ...loaded.state.charge, reference }
  const confirmation = isConfirmable(loaded)
    ? yield* confirmationOf(services, { ...loaded, state: { ...loaded.state, charge } }, processor)
    : Option.none()
  const steps = referStep(reference)
  if (Option.isNone(confirmation)) return yield* apply(services, loaded, steps)
  const { isConfirmed, loaded: after } = yield* services.writer.begin(loaded, reference, { steps, wasReached: true })
  return isConfirmed
    ? yield* sendConfirmation(services, after, processor, confirmation.value)
    : outcomeOf("Continue")(after)
})

const begin = (services: Services, loaded: LoadedCharge, processor: PaymentProcessor) =>
  request(services, loaded, processor.begin(chargingOf(loaded)), {
    succeed: ({ reference }) => applyBegun(services, loaded, processor, reference),
    refuse: ({ code }) => apply(services, loaded, endStep(code))
  })

/** Has the processor take the money, where `isMine` says that it is for us to send it. */
const confirmWhere = Effect.fnUntraced(function* (
  services: Services,
  loaded: LoadedCharge,
  processor: PaymentProcessor,
  isMine: Effect.Effect<boolean>
) {
  const confirmation = yield* confirmationOf(services, loaded, processor)
  if (Option.isNone(confirmation)) return yield* apply(services, loaded, endStep(tokenLost))
  return (yield* isMine)
    ? yield* sendConfirmation(services, loaded, processor, confirmation.value)
    : yield* fetchAndApply(services, loaded, processor)
})

/** One confirmation for each charge: it is written before, and one whose outcome is unknown is fetched. */
const confirm = (services: Services, loaded: LoadedCharge, processor: PaymentProcessor) =>
  confirmWhere(services, loaded, processor, services.writer.confirm(loaded))

/**
 * A confirmation that its processor does not know is sent again under the same key. One that is older than its key is
 * given up: the intent is cancelled, and if it brought money after all, that holds.
 */
const confirmAgain = Effect.fnUntraced(function* (
  services: Services,
  loaded: LoadedCharge,
  processor: PaymentProcessor
) {
  const { charge } = loaded.state
  const now = yield* organisationNow
  return charge.confirmed_at !== null && PollPlan.maySendAgain(charge.confirmed_at, now)
    ? yield* confirmWhere(services, loaded, processor, Effect.succeed(true))
    : yield* apply(services, loaded, endStep(lapseCode(charge)))
})

const look = (services: Services, loaded: LoadedCharge, processor: PaymentProcessor) =>
  fetchRemote(services, loaded, processor, (remote) =>
    PollPlan.isUnconfirmedThere(loaded.state.charge, remote.status, isConfirmable(loaded))
      ? confirmAgain(services, loaded, processor)
      : applyRemote(services, loaded, remote)
  )

const cancel = (services: Services, loaded: LoadedCharge, processor: PaymentProcessor) => {
  const then = () => fetchAndApply(services, loaded, processor)
  return request(services, loaded, processor.cancel(chargingOf(loaded)), { succeed: then, refuse: then })
}

const sendRefund = (services: Services, loaded: LoadedCharge, processor: PaymentProcessor, row: Refund) =>
  request(services, loaded, processor.refund(chargingOf(loaded), row), {
    succeed: Effect.fnUntraced(function* ({ reference }) {
      const edit = withRefundReference(row.id, reference, yield* organisationNow)
      yield* services.writer.apply(loaded, { edit, steps: noSteps, wasReached: true })
      return yield* fetchAndApply(services, loaded, processor)
    }),
    refuse: () => apply(services, loaded, failRefundStep(row.id))
  })

const refund = Effect.fnUntraced(function* (
  services: Services,
  loaded: LoadedCharge,
  processor: PaymentProcessor,
  row: Refund
) {
  if (PollPlan.maySendAgain(row.created_at, yield* organisationNow))
    return yield* sendRefund(services, loaded, processor, row)
  // The outcome of an older one is looked up before it is sent.
  return yield* fetchRemote(services, loaded, processor, (remote) =>
    remote.refunds.some(({ refund_id }) => refund_id === row.id)
      ? applyRemote(services, loaded, remote)
      : sendRefund(services, loaded, processor, row)
  )
})

const perform = (
  services: Services,
  loaded: LoadedCharge,
  processor: PaymentProcessor,
  action: PollPlan.Action
): Effect.Effect<Outcome> => {
  switch (action._tag) {
    case "Begin":
      return begin(services, loaded, processor)
    case "Confirm":
      return confirm(services, loaded, processor)
    case "Cancel":
      return cancel(services, loaded, processor)
    case "Refund":
      return refund(services, loaded, processor, action.refund)
    case "Fetch":
      return look(services, loaded, processor)
  }
}

const syncRound = Effect.fnUntraced(function* (services: Services, loaded: LoadedCharge): Effect.fn.Return<Outcome> {
  const now = yield* organisationNow
  const code = PollPlan.abandonCode(loaded.state.charge, now, yield* services.isCovered(loaded, now))
  if (code !== null) return yield* apply(services, loaded, endStep(code))
  return Option.isNone(loaded.processor)
    ? yield* applyUnreached(services, loaded)
    : yield* perform(services, loaded, loaded.processor.value, actionOf(loaded))
})

/** A round after a notice that something changed: where a charge is at rest, and nothing did, nothing is written. */
const hintedRound = (services: Services, loaded: LoadedCharge): Effect.Effect<Outcome> =>
  Option.isSome(loaded.processor) && isAtRest(loaded)
    ? fetchRemote(services, loaded, loaded.processor.value, (remote) =>
        isUnchanged(loaded, remote) ? Effect.succeed(outcomeOf("Done")(loaded)) : applyRemote(services, loaded, remote)
      )
    : syncRound(services, loaded)

const sync = Effect.fnUntraced(function* (
  services: Services,
  start: LoadedCharge,
  firstRound: typeof syncRound = syncRound
) {
  let outcome = yield* firstRound(services, start)
  for (let count = 1; outcome._tag === "Continue" && count < rounds; count += 1) {
    outcome = yield* syncRound(services, outcome.loaded)
  }
  return outcome
})

const wasReached = ({ _tag }: Outcome): boolean => _tag !== "Unreached"

const syncOfId = Effect.fnUntraced(function* (services: Services, organisation_id: OrganisationId, id: ChargeId) {
  const loaded = yield* services.loader.find(organisation_id, id)
  return Option.isNone(loaded) || wasReached(yield* sync(services, loaded.value))
})

const syncOfHint = Effect.fnUntraced(function* (services: Services, charge: Charge, integration: Integration) {
  const loaded = yield* services.loader.of(charge, integration)
  return Option.isNone(loaded) || wasReached(yield* sync(services, loaded.value, hintedRound))
})

/**
 * One look for whoever waits on a page. Where something other than a look is next, the worker does it; where the processor has no
 * news, or does not answer, nothing is written, so that no look of the worker's comes later than it would.
 */
const glance = Effect.fnUntraced(function* (services: Services, organisation_id: OrganisationId, id: ChargeId) {
  const loaded = yield* services.loader.find(organisation_id, id)
  if (Option.isNone(loaded) || Option.isNone(loaded.value.processor) || actionOf(loaded.value)._tag !== "Fetch") return
  const asked_at = yield* organisationNow
  const remote = yield* Effect.option(loaded.value.processor.value.fetchCharge(chargingOf(loaded.value)))
  if (Option.isNone(remote) || isUnchanged(loaded.value, remote.value)) return
  yield* sync(services, loaded.value, (_, known) => applyRemote(services, known, { ...remote.value, asked_at }))
})

/**
 * Makes the only thing that talks to a processor about a charge: it does there what is next, fetches the processor's present
 * state, and makes the local one agree with it, until there is nothing more to do. Everything calls it, and it may run twice at
 * the same moment and be cut off anywhere. money, section 1.
 */
export const makeChargeSync = Effect.map(services, (services) => ({
  /** Makes a charge agree with its processor; whether that was reached. Dies where the store is away, and may be called again. */
  ofId: (organisation_id: OrganisationId, id: ChargeId): Effect.Effect<boolean> =>
    services.timeOf(organisation_id)(syncOfId(services, organisation_id, id)),
  /** Takes over what the processor knows by now of a charge that waits, where that is news. Dies where the store is away. */
  glance: (organisation_id: OrganisationId, id: ChargeId): Effect.Effect<void> =>
    services.timeOf(organisation_id)(glance(services, organisation_id, id)),
  /** The same of a charge of which everything was just read or written, by the clock around it; what it is then. */
  ofKnown: (loaded: LoadedCharge): Effect.Effect<Charge> =>
    Effect.map(sync(services, loaded), (outcome) => outcome.loaded.state.charge),
  /** The same of a charge that was read after somebody said that something of it changed, by the clock around it. */
  ofHint: (charge: Charge, integration: Integration): Effect.Effect<boolean> =>
    syncOfHint(services, charge, integration)
}))

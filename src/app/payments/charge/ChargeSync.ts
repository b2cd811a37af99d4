import { DateTime, Effect, Option, Result } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { Refund } from "../../../domain/giving/Refund.ts"
import type { ChargeId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import type { Settling } from "../../../domain/payments/Applying.ts"
import { type Charge, lapseCode } from "../../../domain/payments/Charge.ts"
import { type Action, givenUp, isExpected, isUnheard, maySendAgain } from "../../../domain/payments/Looking.ts"
import { type Ours, plan, type Step } from "../../../domain/payments/Settlement.ts"
import type { ChargeSnapshot } from "../../../domain/payments/Snapshot.ts"
import { SecretBox } from "../../../ports/kernel/SecretBox.ts"
import {
  type Charging,
  mandatesOf,
  type PaymentProcessor,
  type ProcessorFailure,
  type ProcessorRefused
} from "../../../ports/payments/PaymentProcessors.ts"
import { makeOrganisationTime } from "../../access/steps/OrganisationTime.ts"
import { actionOf, isConfirmable, type Known, makeKnown } from "../steps/Known.ts"
import { makeRecording, referred } from "./ChargeWriter.ts"

/** Rounds at one go. What is left after them is done by the worker. */
const rounds = 12

/** The code of a charge whose token cannot be opened any more, because its key left the ring. */
const tokenLost = "payment_token_lost"

/** How a round went: there may be more to do, of what is known then; there is nothing more to do now; the processor was not reached. */
type Went = { readonly _tag: "On"; readonly found: Known } | { readonly _tag: "Done" } | { readonly _tag: "Unreached" }

const done: Went = { _tag: "Done" }

const isOpen = ({ charge: { ending, status } }: Settling): boolean =>
  ending === null && (status === "NEW" || status === "WAITING")

const ending =
  (failure_code: string) =>
  (state: Settling): ReadonlyArray<Step> =>
    isOpen(state) ? [{ _tag: "End", failure_code }] : []

const referring =
  (reference: string) =>
  ({ charge }: Settling): ReadonlyArray<Step> =>
    charge.status === "NEW" && charge.reference === null ? [{ _tag: "Refer", reference }] : []

const failing =
  (refund_id: Refund["id"]) =>
  ({ refunds }: Settling): ReadonlyArray<Step> =>
    refunds.some(({ id, status }) => id === refund_id && status === "PENDING")
      ? [{ _tag: "FailRefund", refund_id }]
      : []

const none = (): ReadonlyArray<Step> => []

/** Takes over the identifiers of refunds whose answers never came. */
const adopting =
  (theirs: ChargeSnapshot, at: DateTime.Utc) =>
  <S extends Ours>(state: S): S =>
    theirs.refunds.reduce(
      (now, { reference, refund_id }) => (refund_id === null ? now : referred(refund_id, reference, at)(now)),
      state
    )

const chargingOf = ({ integration, mandate, state }: Known): Charging => ({
  charge: state.charge,
  integration,
  mandate
})

/** Whether nothing of a charge is waited for: no look is planned, and nothing is to be done. */
const isAtRest = (found: Known): boolean =>
  found.state.charge.look_at === null && !isExpected(found.state) && actionOf(found)._tag === "Fetch"

/**
 * Whether a snapshot tells nothing that is not known. What is known only grows, so that it tells nothing of what is known later
 * either, and no lock is needed to see that.
 */
const isKnown = ({ mandate, state }: Known, theirs: ChargeSnapshot): boolean =>
  plan(state, theirs).length === 0 &&
  adopting(theirs, state.charge.updated_at)(state) === state &&
  (mandate?.status !== "PENDING" || theirs.mandate_reference == null)

/** Makes what writes what follows from the answers of processors. */
const answering = (recording: Effect.Success<typeof makeRecording>) => {
  const settle = (found: Known, steps: (state: Settling) => ReadonlyArray<Step>) =>
    recording.settle(found, { steps, wasReached: true })

  const unreached = (found: Known): Effect.Effect<Went> =>
    Effect.as(recording.settle(found, { steps: none, wasReached: false }), { _tag: "Unreached" } as const)

  /** Writes what follows from an answer; `refused` says what follows from a refusal. */
  const answered = <A>(
    found: Known,
    asking: Effect.Effect<A, ProcessorFailure>,
    then: {
      readonly succeed: (answer: A) => Effect.Effect<Went>
      readonly refuse: (refusal: ProcessorRefused) => Effect.Effect<Went>
    }
  ): Effect.Effect<Went> =>
    Effect.flatMap(Effect.result(asking), (answer) => {
      if (Result.isSuccess(answer)) return then.succeed(answer.success)
      return answer.failure._tag === "ProcessorRefused" ? then.refuse(answer.failure) : unreached(found)
    })

  /** What was written under the lock is what the next round goes on from: nothing of it needs to be read again. */
  const on = (effect: Effect.Effect<Known>): Effect.Effect<Went> =>
    Effect.map(effect, (found) => ({ _tag: "On", found }) as const)

  return { answered, on, settle, unreached } as const
}

/**
 * Makes the only thing that talks to a processor about a charge: it does there what is next, fetches the processor's present
 * state, and makes ours agree with it, until there is nothing more to do. Everything calls it, and it may run twice at the same
 * moment and be cut off anywhere. money, section 1.
 */
export const makeConverge = Effect.gen(function* () {
  const box = yield* SecretBox
  const known = yield* makeKnown
  const recording = yield* makeRecording
  const timeOf = yield* makeOrganisationTime
  const { answered, on, settle, unreached } = answering(recording)

  const agreeWith = Effect.fnUntraced(function* (found: Known, theirs: ChargeSnapshot) {
    const at = yield* DateTime.now
    const { hasChanged, ...after } = yield* recording.settle(found, {
      edit: adopting(theirs, at),
      steps: (state) => plan(state, theirs),
      wasReached: true,
      mandate_reference: theirs.mandate_reference ?? null
    })
    const went: Went = hasChanged && actionOf(after)._tag !== "Fetch" ? { _tag: "On", found: after } : done
    return went
  })

  /** Fetches the processor's state; `then` is what follows from it. */
  const fetched = (
    found: Known,
    processor: PaymentProcessor,
    then: (theirs: ChargeSnapshot) => Effect.Effect<Went>
  ): Effect.Effect<Went> =>
    answered(found, processor.fetchCharge(chargingOf(found)), {
      succeed: then,
      // A processor that refuses to tell is as one that was not reached.
      refuse: () => unreached(found)
    })

  /** Fetches the processor's state and makes ours agree with it. */
  const agree = (found: Known, processor: PaymentProcessor) =>
    fetched(found, processor, (theirs) => agreeWith(found, theirs))

  const openToken = ({ charge }: Ours) =>
    charge.sealed_token === null ? Effect.succeedNone : Effect.option(box.open(charge.sealed_token, charge.id))

  /** How the processor is told to take the money: by what the donor pays with now, or by what it keeps. */
  const takingOf = (found: Known, processor: PaymentProcessor) => {
    const { mandate, state } = found
    const charging = chargingOf(found)
    return state.charge.purpose === "invoice"
      ? Effect.succeed(
          Option.flatMap(mandatesOf(processor), ({ chargeMandate }) =>
            Option.map(Option.fromNullishOr(mandate), (by) => chargeMandate(charging, by))
          )
        )
      : Effect.map(
          openToken(state),
          Option.map((token) => processor.confirm(charging, token))
        )
  }

  /** Has the processor take the money now. */
  const sent = (found: Known, processor: PaymentProcessor, taking: Effect.Effect<void, ProcessorFailure>) =>
    answered(found, taking, {
      succeed: () => agree(found, processor),
      refuse: ({ code }) => on(settle(found, ending(code)))
    })

  /** The charge that was begun is confirmed with the same commit where it can be: none is confirmed without its reference. */
  const begun = Effect.fnUntraced(function* (found: Known, processor: PaymentProcessor, reference: string) {
    const charge = { ...found.state.charge, reference }
    const taking = isConfirmable(found)
      ? yield* takingOf({ ...found, state: { ...found.state, charge } }, processor)
      : Option.none()
    const planned = { steps: referring(reference), wasReached: true }
    if (Option.isNone(taking)) return yield* on(recording.settle(found, planned))
    const { found: after, isConfirmed } = yield* recording.begin(found, reference, planned)
    const went: Went = isConfirmed ? yield* sent(after, processor, taking.value) : { _tag: "On", found: after }
    return went
  })

  const begin = (found: Known, processor: PaymentProcessor) =>
    answered(found, processor.begin(chargingOf(found)), {
      succeed: ({ reference }) => begun(found, processor, reference),
      refuse: ({ code }) => on(settle(found, ending(code)))
    })

  /** Has the processor take the money, where `isMine` says that it is for us to send it. */
  const sendConfirmation = Effect.fnUntraced(function* (
    found: Known,
    processor: PaymentProcessor,
    isMine: Effect.Effect<boolean>
  ) {
    const taking = yield* takingOf(found, processor)
    if (Option.isNone(taking)) return yield* on(settle(found, ending(tokenLost)))
    return yield* (yield* isMine) ? sent(found, processor, taking.value) : agree(found, processor)
  })

  /** One confirmation for each charge: it is written before, and one whose outcome is unknown is fetched. */
  const confirm = (found: Known, processor: PaymentProcessor) =>
    sendConfirmation(found, processor, recording.confirm(found))

  /**
   * A confirmation that its processor never heard of is sent again under the same key. One that is older than its key is given
   * up: the intent is cancelled, and if it brought money after all, that holds.
   */
  const confirmAgain = Effect.fnUntraced(function* (found: Known, processor: PaymentProcessor) {
    const { charge } = found.state
    const now = yield* DateTime.now
    return charge.confirmed_at !== null && maySendAgain(charge.confirmed_at, now)
      ? yield* sendConfirmation(found, processor, Effect.succeed(true))
      : yield* on(settle(found, ending(lapseCode(charge))))
  })

  const look = (found: Known, processor: PaymentProcessor) =>
    fetched(found, processor, (theirs) =>
      isUnheard(found.state.charge, theirs.status, isConfirmable(found))
        ? confirmAgain(found, processor)
        : agreeWith(found, theirs)
    )

  const cancel = (found: Known, processor: PaymentProcessor) =>
    answered(found, processor.cancel(chargingOf(found)), {
      succeed: () => agree(found, processor),
      refuse: () => agree(found, processor)
    })

  const send = (found: Known, processor: PaymentProcessor, refund: Refund) =>
    answered(found, processor.refund(chargingOf(found), refund), {
      succeed: Effect.fnUntraced(function* ({ reference }) {
        const at = yield* DateTime.now
        yield* recording.settle(found, { edit: referred(refund.id, reference, at), steps: none, wasReached: true })
        return yield* agree(found, processor)
      }),
      refuse: () => on(settle(found, failing(refund.id)))
    })

  const refund = Effect.fnUntraced(function* (found: Known, processor: PaymentProcessor, row: Refund) {
    if (maySendAgain(row.created_at, yield* DateTime.now)) return yield* send(found, processor, row)
    // An older one whose outcome is unknown is looked for before it is sent.
    return yield* fetched(found, processor, (theirs) =>
      theirs.refunds.some(({ refund_id }) => refund_id === row.id)
        ? agreeWith(found, theirs)
        : send(found, processor, row)
    )
  })

  const perform = (found: Known, processor: PaymentProcessor, action: Action): Effect.Effect<Went> => {
    switch (action._tag) {
      case "Begin":
        return begin(found, processor)
      case "Confirm":
        return confirm(found, processor)
      case "Cancel":
        return cancel(found, processor)
      case "Refund":
        return refund(found, processor, action.refund)
      case "Fetch":
        return look(found, processor)
    }
  }

  const round = Effect.fnUntraced(function* (found: Known): Effect.fn.Return<Went> {
    const code = givenUp(found.state.charge, yield* DateTime.now)
    if (code !== null) return yield* on(settle(found, ending(code)))
    return Option.isNone(found.processor)
      ? yield* unreached(found)
      : yield* perform(found, found.processor.value, actionOf(found))
  })

  /** A round for somebody who said that something changed: where a charge is at rest, and nothing did, nothing is written. */
  const heard = (found: Known): Effect.Effect<Went> =>
    Option.isSome(found.processor) && isAtRest(found)
      ? fetched(found, found.processor.value, (theirs) =>
          isKnown(found, theirs) ? Effect.succeed(done) : agreeWith(found, theirs)
        )
      : round(found)

  const converged = Effect.fnUntraced(function* (start: Known, first: (found: Known) => Effect.Effect<Went> = round) {
    let went = yield* first(start)
    for (let count = 1; went._tag === "On" && count < rounds; count += 1) went = yield* round(went.found)
    return went._tag !== "Unreached"
  })

  const read = Effect.fnUntraced(function* (organisation_id: OrganisationId, id: ChargeId) {
    const found = yield* known.find(organisation_id, id)
    return Option.isNone(found) || (yield* converged(found.value))
  })

  return {
    /** Makes a charge agree with its processor; whether that was reached. Dies where the store is away, and may be called again. */
    ofId: (organisation_id: OrganisationId, id: ChargeId): Effect.Effect<boolean> =>
      timeOf(organisation_id)(read(organisation_id, id)),
    /** The same of a charge of which everything was just read or written, by the clock around it. */
    ofKnown: (found: Known): Effect.Effect<boolean> => converged(found),
    /** The same of a charge that was read after somebody said that something of it changed, by the clock around it. */
    ofHint: Effect.fnUntraced(function* (charge: Charge, integration: Integration) {
      const found = yield* known.of(charge, integration)
      return Option.isNone(found) || (yield* converged(found.value, heard))
    })
  } as const
})

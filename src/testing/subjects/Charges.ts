import fc from "fast-check"
import { Charge, Command } from "../../domain/payments/Charge.ts"
import * as Dispute from "../../domain/payments/Dispute.ts"
import * as PaymentException from "../../domain/payments/PaymentException.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import { instant } from "../Generators.ts"
import type { Subject } from "../Laws.ts"

const code = fc.constantFrom("card_declined", "abandoned", "cancelled")
const isOpen = (status: Charge["status"]) => status === "NEW" || status === "WAITING"
const hasEnded = (status: Charge["status"]) => ["SUCCEEDED", "FAILED", "CANCELLED"].includes(status)
const broughtNothing = (status: Charge["status"]) => status === "FAILED" || status === "CANCELLED"

/** Charges that have exactly what those of their status have. */
const chargeStates: fc.Arbitrary<Charge> = fc
  .record({
    given: arbitraryOf(Charge),
    reference: fc.option(fc.constantFrom("pi_1", "pi_2")),
    token: fc.option(fc.constant("sealed")),
    confirmed_at: fc.option(instant),
    waiting_since: fc.option(instant),
    ended_at: instant,
    failure_code: code,
    ending: fc.option(code),
    fee: fc.option(fc.nat(3))
  })
  .map(({ confirmed_at, ended_at, ending, failure_code, fee, given, reference, token, waiting_since }): Charge => {
    const { status } = given
    return {
      ...given,
      reference,
      confirmed_at,
      sealed_token: isOpen(status) && ending === null ? token : null,
      waiting_since: status === "NEW" ? null : waiting_since,
      ending: status === "SUCCEEDED" ? null : ending,
      failure_code: broughtNothing(status) ? failure_code : null,
      processor_fee_cents: hasEnded(status) ? fee : null,
      ended_at: hasEnded(status) ? ended_at : null
    }
  })

const chargeCommands: fc.Arbitrary<Command> = fc
  .tuple(arbitraryOf(Command), instant)
  .map(([command, at]): Command => ({ ...command, at }))

/** Charges of every status, for the laws. */
export const charges: Subject<Charge, Command> = {
  schema: Charge,
  states: chargeStates,
  commands: chargeCommands,
  // money, sections 1, 2 and 5.
  expect: {
    Refer: {
      from: ["NEW", "FAILED", "CANCELLED"],
      to: "same",
      when: ({ reference }) => reference === null,
      changes: (_, { at, reference }) => ({ reference, updated_at: at })
    },
    Confirm: {
      from: ["NEW", "WAITING"],
      to: "same",
      when: ({ confirmed_at }) => confirmed_at === null,
      changes: (_, { at }) => ({ confirmed_at: at, updated_at: at })
    },
    Wait: {
      from: ["NEW"],
      to: "WAITING",
      changes: ({ confirmed_at }, { at }) => ({
        ...(confirmed_at === null ? {} : { sealed_token: null }),
        waiting_since: at,
        updated_at: at
      })
    },
    Process: {
      from: ["NEW", "WAITING"],
      to: "PROCESSING",
      changes: (_, { at }) => ({ ending: null, sealed_token: null, updated_at: at })
    },
    Succeed: {
      from: ["NEW", "WAITING", "PROCESSING"],
      to: "SUCCEEDED",
      changes: (_, { at }) => ({ ending: null, sealed_token: null, ended_at: at, updated_at: at })
    },
    Fail: {
      from: ["NEW", "WAITING", "PROCESSING"],
      to: "FAILED",
      changes: (_, { at, failure_code }) => ({ failure_code, sealed_token: null, ended_at: at, updated_at: at })
    },
    End: {
      from: ["NEW", "WAITING", "PROCESSING"],
      to: "same",
      changes: (_, { at, failure_code }) => ({
        ending: failure_code,
        sealed_token: null,
        look_at: at,
        looks: 0,
        updated_at: at
      })
    },
    Cancel: {
      from: ["NEW", "WAITING"],
      to: "CANCELLED",
      changes: (_, { at, failure_code }) => ({ failure_code, sealed_token: null, ended_at: at, updated_at: at })
    },
    LearnFee: {
      from: ["SUCCEEDED", "FAILED", "CANCELLED"],
      to: "same",
      when: ({ processor_fee_cents }) => processor_fee_cents === null,
      changes: (_, { at, processor_fee_cents }) => ({ processor_fee_cents, updated_at: at })
    }
  },
  invariants: {
    "a charge is dated exactly when it has ended": ({ ended_at, status }) => hasEnded(status) === (ended_at !== null),
    "a code says why no money came, and only then": ({ failure_code, status }) =>
      broughtNothing(status) === (failure_code !== null),
    "what the donor pays with is kept no longer than it is needed": ({ ending, sealed_token, status }) =>
      sealed_token === null || (isOpen(status) && ending === null),
    "what may still come has cost nothing yet": ({ processor_fee_cents, status }) =>
      processor_fee_cents === null || hasEnded(status)
  },
  steps: {
    "what is taken, from whom and by whom never changes": ({ after, before }) =>
      after.amount_cents === before.amount_cents &&
      after.currency === before.currency &&
      after.subject_id === before.subject_id &&
      after.submission_id === before.submission_id &&
      after.integration_id === before.integration_id,
    "a reference stays": ({ after, before }) => before.reference === null || after.reference === before.reference,
    "a charge is confirmed once": ({ after, before }) =>
      before.confirmed_at === null || after.confirmed_at === before.confirmed_at,
    "what has ended only learns its fee, and its reference": ({ before, command }) =>
      !hasEnded(before.status) || command._tag === "LearnFee" || command._tag === "Refer"
  }
}

const disputeStates: fc.Arbitrary<Dispute.Dispute> = fc
  .tuple(arbitraryOf(Dispute.Dispute), instant)
  .map(([given, at]): Dispute.Dispute => {
    const isOpen = given.status === "OPEN"
    return { ...given, refund_id: isOpen ? null : given.refund_id, ended_at: isOpen ? null : at }
  })

const disputeCommands: fc.Arbitrary<Dispute.Command> = fc
  .tuple(arbitraryOf(Dispute.Command), instant)
  .map(([command, at]): Dispute.Command => ({ ...command, at }))

/** Disputes of every status, for the laws. */
export const disputes: Subject<Dispute.Dispute, Dispute.Command> = {
  schema: Dispute.Dispute,
  states: disputeStates,
  commands: disputeCommands,
  // money, section 2: Dispute. One that was lost may be won after all.
  expect: {
    Win: { from: ["OPEN", "LOST"], to: "WON", changes: (_, { at }) => ({ ended_at: at, updated_at: at }) },
    Lose: {
      from: ["OPEN"],
      to: "LOST",
      changes: (_, { at, refund_id }) => ({ refund_id, ended_at: at, updated_at: at })
    },
    LearnFee: {
      from: ["OPEN", "WON", "LOST"],
      to: "same",
      when: ({ fee_cents }) => fee_cents === null,
      changes: (_, { at, fee_cents }) => ({ fee_cents, updated_at: at })
    }
  },
  invariants: {
    "a dispute is dated exactly when it is decided": ({ ended_at, status }) =>
      (status === "OPEN") === (ended_at === null),
    "nothing is taken off a gift before its dispute is lost": ({ refund_id, status }) =>
      status !== "OPEN" || refund_id === null
  },
  steps: {
    "how much is disputed, and of what, never changes": ({ after, before }) =>
      after.amount_cents === before.amount_cents &&
      after.charge_id === before.charge_id &&
      after.reference === before.reference,
    "a fee that is known stays": ({ after, before }) =>
      before.fee_cents === null || after.fee_cents === before.fee_cents,
    "the refund that a lost one wrote stays its refund": ({ after, before }) =>
      before.refund_id === null || after.refund_id === before.refund_id
  }
}

const exceptionStates: fc.Arbitrary<PaymentException.PaymentException> = fc
  .tuple(arbitraryOf(PaymentException.PaymentException), instant)
  .map(([given, at]): PaymentException.PaymentException => {
    const isResolved = given.status === "RESOLVED"
    return {
      ...given,
      held_cents: given.held_cents % (given.amount_cents + 1),
      note: isResolved ? "Booked by hand" : null,
      resolved_by: isResolved ? "user:ada" : null,
      resolved_at: isResolved ? at : null
    }
  })

const exceptionCommands: fc.Arbitrary<PaymentException.Command> = fc
  .tuple(arbitraryOf(PaymentException.Command), instant)
  .map(([command, at]): PaymentException.Command => ({ ...command, at }))

/** Payment exceptions of every status, for the laws. */
export const paymentExceptions: Subject<PaymentException.PaymentException, PaymentException.Command> = {
  schema: PaymentException.PaymentException,
  states: exceptionStates,
  commands: exceptionCommands,
  // money, section 2: Exception.
  expect: {
    Resolve: {
      from: ["OPEN"],
      to: "RESOLVED",
      changes: (_, { at, by, note }) => ({ note, resolved_by: by, resolved_at: at, updated_at: at })
    }
  },
  invariants: {
    "what was resolved says when, by whom and how, and nothing else does": (self) =>
      [self.note, self.resolved_by, self.resolved_at].every((each) => (each !== null) === (self.status === "RESOLVED"))
  },
  steps: {
    "what is the matter, and how much it is, never changes": ({ after, before }) =>
      after.kind === before.kind &&
      after.amount_cents === before.amount_cents &&
      after.held_cents === before.held_cents &&
      after.subject_id === before.subject_id
  }
}

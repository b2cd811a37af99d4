import fc from "fast-check"
import * as Notice from "../../domain/payments/Notice.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import { instant } from "../Generators.ts"
import type { Subject } from "../Laws.ts"

const states: fc.Arbitrary<Notice.Notice> = fc
  .tuple(arbitraryOf(Notice.Notice), instant)
  .map(([given, at]): Notice.Notice => {
    const isOpen = given.status === "RECEIVED" || given.status === "WAITING"
    return {
      ...given,
      error: given.status === "FAILED" ? "no_such_charge" : null,
      apply_at: isOpen ? at : null,
      ended_at: isOpen ? null : at
    }
  })

const commands: fc.Arbitrary<Notice.Command> = fc
  .tuple(arbitraryOf(Notice.Command), instant)
  .map(([command, at]): Notice.Command => ({ ...command, at }))

const open = ["RECEIVED", "WAITING"] as const

const ended = { error: null, apply_at: null }

/** Notices of every status, for the laws. */
export const notices: Subject<Notice.Notice, Notice.Command> = {
  schema: Notice.Notice,
  states,
  commands,
  // money, section 2: Notice.
  expect: {
    Apply: { from: open, to: "APPLIED", changes: (_, { at }) => ({ ...ended, ended_at: at, updated_at: at }) },
    Ignore: { from: open, to: "IGNORED", changes: (_, { at }) => ({ ...ended, ended_at: at, updated_at: at }) },
    Wait: {
      from: open,
      to: "WAITING",
      changes: (_, { apply_at, at }) => ({ error: null, apply_at, updated_at: at })
    },
    Delay: {
      from: open,
      to: "same",
      changes: (self, { apply_at, at, error }) => ({ attempts: self.attempts + 1, apply_at, error, updated_at: at })
    },
    Fail: {
      from: open,
      to: "FAILED",
      changes: (_, { at, error }) => ({ error, apply_at: null, ended_at: at, updated_at: at })
    },
    Retry: {
      from: ["IGNORED", "FAILED"],
      to: "RECEIVED",
      changes: (_, { at }) => ({ error: null, attempts: 0, apply_at: at, ended_at: null, updated_at: at })
    }
  },
  invariants: {
    "a notice is to be applied exactly while it has not ended": ({ apply_at, ended_at }) =>
      (apply_at === null) === (ended_at !== null),
    "what was applied or ignored has no error": ({ error, status }) =>
      !["APPLIED", "IGNORED"].includes(status) || error === null
  },
  steps: {
    "what a notice says never changes": ({ after, before }) =>
      after.event_id === before.event_id &&
      after.charge_id === before.charge_id &&
      after.reference === before.reference &&
      after.integration_id === before.integration_id
  }
}

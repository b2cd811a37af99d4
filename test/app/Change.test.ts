import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Result } from "effect"
import fc from "fast-check"
import {
  ChangeLog,
  type Emission,
  type Entry,
  makeChange,
  type Occasion,
  type Repeat
} from "../../src/app/access/change/Change.ts"
import type { Caller } from "../../src/domain/access/Caller.ts"
import { type Requirement, writes } from "../../src/domain/access/Policy.ts"
import * as CheckoutLink from "../../src/domain/giving/CheckoutLink.ts"
import * as DonationForm from "../../src/domain/giving/DonationForm.ts"
import * as Donor from "../../src/domain/giving/Donor.ts"
import {
  type Decision,
  decide,
  emissionsOf,
  type Machine,
  terminalStatuses,
  typesOf
} from "../../src/domain/kernel/Machine.ts"
import { RecordArchived } from "../../src/domain/kernel/Rejection.ts"
import * as RecipientAccount from "../../src/domain/sharing/RecipientAccount.ts"
import * as RecommendationSet from "../../src/domain/sharing/RecommendationSet.ts"
import { CurrentCaller } from "../../src/ports/access/CurrentCaller.ts"
import { organisation } from "../../src/testing/Generators.ts"
import type { Subject } from "../../src/testing/Laws.ts"
import * as Subjects from "../../src/testing/Subjects.ts"
import { forEvery, forEveryWith } from "../support/Property.ts"
import { cases } from "../support/Rounds.ts"

/** A use case's declaration of its changes, without the store. */
interface Spoken<State, Status extends string, Command extends { readonly _tag: string }, Event extends string> {
  readonly machine: Machine<State, Status, Command, Event>
  readonly subject: Subject<State, Command>
  readonly requires: Requirement
  readonly tell: (types: ReadonlyArray<Event>, state: State, occasion: Occasion<Command>) => ReadonlyArray<Emission>
  readonly tellsOnce?: boolean
}

/** The calls of the store and the journal, in order. */
type Trace = Array<readonly ["locked"] | readonly ["written", unknown] | readonly ["journalled", Entry]>

const callerOf = (scope: Caller["scope"]): fc.Arbitrary<Caller> =>
  organisation.map((each) => ({
    organisation: { ...each, plan: "ENTERPRISE" },
    actor: { type: "API_KEY", id: "key" },
    scope,
    request_id: "req"
  }))

/** Changes of one record that is kept in this test, and a trace of them. */
const changing = <
  State extends { readonly id: string },
  Status extends string,
  Command extends { readonly _tag: string },
  Event extends string
>(
  { machine, tell, tellsOnce = false }: Spoken<State, Status, Command, Event>,
  kept: State,
  trace: Trace
) => {
  const changeLog = ChangeLog.of({
    prepare: () => Effect.die("nothing is prepared"),
    write: (entry) => Effect.sync(() => void trace.push(["journalled", entry]))
  })
  const make = Effect.runSync(Effect.provideService(makeChange, ChangeLog, changeLog))
  return make({
    machine,
    lock: () =>
      Effect.sync(() => {
        trace.push(["locked"])
        return kept
      }),
    refuseEnded: (state) =>
      terminalStatuses(machine).includes(machine.statusOf(state))
        ? Effect.fail(new RecordArchived({ record: "record", id: state.id }))
        : Effect.void,
    update: (state) => Effect.sync(() => void trace.push(["written", state])),
    tell,
    tellsOnce
  })
}

const as =
  (caller: Caller) =>
  <A, E>(effect: Effect.Effect<A, E, CurrentCaller>): Exit.Exit<A, E> =>
    Effect.runSyncExit(Effect.provideService(effect, CurrentCaller, caller))

const failureOf = <A, E>(exit: Exit.Exit<A, E>): unknown =>
  Exit.match(exit, {
    onFailure: ({ reasons }) => reasons.map((each) => (each._tag === "Fail" ? each.error : each)).at(0),
    onSuccess: () => assert.fail("it was not refused")
  })

const check = <
  State extends { readonly id: string },
  Status extends string,
  Command extends { readonly _tag: string },
  Event extends string
>(
  spoken: Spoken<State, Status, Command, Event>
): void => {
  const { machine, subject, tell, tellsOnce = false } = spoken
  const writer = callerOf("WRITE")

  describe(machine.name, () => {
    it("is changed by one command as its table says, or repeated as is chosen, or refused and left alone", () => {
      const choice = fc.constantFrom<Repeat | "refused">("told again", "audited", "refused")
      forEveryWith(
        { numRuns: cases(300) },
        subject.states,
        subject.commands,
        choice,
        writer,
        (before, command, repeat, caller) => {
          const trace: Trace = []
          const choices = repeat === "refused" ? {} : { repeat }
          const exit = as(caller)(changing(spoken, before, trace).perform(spoken, before.id, () => command, choices))
          const [locked, ...rest] = trace
          assert.deepStrictEqual(locked, ["locked"])

          const status = machine.statusOf(before)
          const tag: Command["_tag"] = command._tag
          const { emits, from, to } = machine.table[tag]
          const decision = decide(machine, before, command)
          if (repeat !== "refused" && status === to && !from.includes(status)) {
            const { at, state } = Exit.isSuccess(exit) ? exit.value : assert.fail("a repetition was refused")
            const events = tell(repeat === "audited" ? [] : emits, before, { ...caller, at, command })
            assert.strictEqual(state, before)
            assert.deepStrictEqual(rest, [
              ["journalled", { operation: spoken.requires.name, subject_id: before.id, at, events }]
            ])
          } else if (terminalStatuses(machine).includes(status)) {
            assert.instanceOf(failureOf(exit), RecordArchived)
            assert.deepStrictEqual(rest, [])
          } else if (Result.isFailure(decision)) {
            assert.deepStrictEqual(failureOf(exit), decision.failure)
            assert.deepStrictEqual(rest, [])
          } else {
            const { at, state } = Exit.isSuccess(exit) ? exit.value : assert.fail("it was refused")
            const after = decision.success.state
            const events = tell(typesOf(decision.success.events), after, { ...caller, at, command })
            assert.deepStrictEqual(state, after)
            assert.deepStrictEqual(rest, [
              ["written", after],
              ["journalled", { operation: spoken.requires.name, subject_id: before.id, at, events }]
            ])
          }
        }
      )
    })

    it("is written once after several commands, which are told of each or together, and never where none is given", () => {
      const scripts = fc.array(subject.commands, { maxLength: 3 })
      const open = subject.states.filter((state) => !terminalStatuses(machine).includes(machine.statusOf(state)))
      forEveryWith({ numRuns: cases(300) }, open, scripts, writer, (before, commands, caller) => {
        const trace: Trace = []
        const revised = changing(spoken, before, trace).revise(spoken, before.id, () => Effect.succeed(commands))
        const exit = as(caller)(revised)
        const [, ...rest] = trace
        const taken: Array<Decision<State, Event> & { readonly command: Command }> = []
        for (const command of commands) {
          const decision = decide(machine, taken.at(-1)?.state ?? before, command)
          if (Result.isFailure(decision)) {
            assert.deepStrictEqual(failureOf(exit), decision.failure)
            assert.deepStrictEqual(rest, [])
            return
          }
          taken.push({ ...decision.success, command })
        }
        const { at } = Exit.isSuccess(exit) ? exit.value : assert.fail("it was refused")
        const last = taken.at(-1)
        const types = [...new Set(taken.flatMap(({ events }) => typesOf(events)))]
        const events =
          tellsOnce && last !== undefined
            ? tell(types, last.state, { ...caller, at, command: last.command })
            : taken.flatMap(({ command, events, state }) => tell(typesOf(events), state, { ...caller, at, command }))
        const journalled = ["journalled", { operation: spoken.requires.name, subject_id: before.id, at, events }]
        assert.deepStrictEqual<unknown>(rest, [...(last === undefined ? [] : [["written", last.state]]), journalled])
      })
    })

    it("is not even looked for where the caller may not", () =>
      forEvery(subject.states, subject.commands, callerOf("READ"), (before, command, caller) => {
        const trace: Trace = []
        const change = changing(spoken, before, trace)
        for (const refused of [
          change.perform(spoken, before.id, () => command, { repeat: "told again" }),
          change.revise(spoken, before.id, () => Effect.succeed([command]))
        ]) {
          assert.propertyVal(failureOf(as(caller)(refused)), "_tag", "Forbidden")
        }
        assert.deepStrictEqual(trace, [])
      }))
  })
}

describe("a record is changed in one place", () => {
  check({
    machine: Donor.machine,
    subject: Subjects.donors,
    requires: writes("donors.update"),
    tell: (types, donor, { command }) => emissionsOf(Donor.machine, types, donor, command)
  })
  check({
    machine: CheckoutLink.machine,
    subject: Subjects.checkoutLinks,
    requires: writes("checkout_links.update"),
    tell: (types, link, { at }) => types.map((type) => ({ type, data: CheckoutLink.eventDataOf(link, at) }))
  })
  check({
    machine: DonationForm.machine,
    subject: Subjects.donationForms,
    requires: writes("forms.update"),
    tell: (types, form, { organisation: { slug } }) =>
      types.map((type) => ({ type, data: DonationForm.eventDataOf(form, `${slug}/${form.slug}`) })),
    tellsOnce: true
  })
  check({
    machine: RecommendationSet.machine,
    subject: Subjects.recommendationSets,
    requires: writes("recommendation_sets.update"),
    tell: (types, set) => types.map((type) => ({ type, data: RecommendationSet.eventDataOf(set) }))
  })
  check({
    machine: RecipientAccount.machine,
    subject: Subjects.recipientAccounts,
    requires: writes("recipient_accounts.update"),
    tell: (types, link) => types.map((type) => RecipientAccount.emissionOf(type, link))
  })
})

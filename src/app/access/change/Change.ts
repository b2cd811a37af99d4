import { type DateTime, Effect, type Option } from "effect"
import type { AuditEntry } from "../../../domain/access/Audit.ts"
import type { Caller } from "../../../domain/access/Caller.ts"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import type { Requirement } from "../../../domain/access/Policy.ts"
import type { HostEventType } from "../../../domain/kernel/HostEventType.ts"
import type { EventId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { type Decision, decide, type Machine, rowOf, typesOf } from "../../../domain/kernel/Machine.ts"
import * as Mail from "../../../domain/kernel/Mail.ts"
import * as Event from "../../../domain/outbox/Event.ts"
import { AuditStore } from "../../../ports/access/AuditStore.ts"
import { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { organisationNow, realNow } from "../../../ports/kernel/AheadClock.ts"
import { MailOutbox } from "../../../ports/kernel/MailOutbox.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { Outbox } from "../../../ports/outbox/Outbox.ts"
import { Service } from "../../kernel/service/Service.ts"
import { orNotFound } from "../../kernel/store/RecordChecks.ts"
import { requireScope, type WithRequirement } from "../caller/CallerContext.ts"

/** A host's own event to be written, with its id. */
export interface HostEmission {
  readonly id: EventId
  readonly type: HostEventType
  readonly data: Event.HostEventData
}

/** An event to be written: its type with the data of that type. */
export type Emission = Exclude<Event.TypedEvent, { readonly type: HostEventType }> | HostEmission

/** The audit entry of a write, and its events. */
export interface Entry {
  /** The operation's name in the audit. */
  readonly operation: string
  /** The record that was written; also what repetitions of once-only events are recognised by. */
  readonly subject_id: string
  readonly at: DateTime.Utc
  readonly events: ReadonlyArray<Emission>
}

/** Writes the events and the audit entry of a change, and the mails that donors are owed for it, in the transaction of the change. */
export class ChangeLog extends Service<ChangeLog>()("almoner/app/ChangeLog", function* () {
  const outbox = yield* Outbox
  const audit = yield* AuditStore
  const tokens = yield* Tokens
  const mails = yield* MailOutbox

  /** The events and the audit entry as they will be kept, for writers that store them by themselves. */
  const prepare = Effect.fnUntraced(function* (caller: Caller, entry: Entry) {
    const events: Array<Event.Event> = []
    for (const emission of entry.events) {
      const { data, type } = emission
      events.push(
        Event.make({
          id: "id" in emission ? emission.id : yield* tokens.id("event"),
          organisation_id: caller.organisation.id,
          type,
          occurred_at: entry.at,
          dedupe_key: entry.subject_id,
          data
        })
      )
    }
    const auditEntry: AuditEntry = {
      id: yield* tokens.id("auditEntry"),
      organisation_id: caller.organisation.id,
      actor_type: caller.actor.type,
      actor_id: caller.actor.id,
      operation: entry.operation,
      subject_id: entry.subject_id,
      request_id: caller.request_id,
      created_at: entry.at
    }
    return { events, audit: auditEntry }
  })

  const write = Effect.fnUntraced(function* (entry: Entry) {
    const prepared = yield* prepare(yield* CurrentCaller, entry)
    if (prepared.events.length > 0) yield* outbox.append(prepared.events)
    yield* audit.append(prepared.audit)
    for (const owed of entry.events.map(Event.owedMail)) {
      if (owed === null) continue
      const { organisation_id } = prepared.audit
      const id = yield* tokens.id("mail")
      yield* mails.add(Mail.create({ id, organisation_id, recipient_id: null, ...owed }, yield* realNow))
    }
  })

  return { prepare, write } as const
}) {}

/** When, in whose organisation and by which command a record became what its event says; null where it was born. */
export interface Occasion<Command> {
  readonly at: DateTime.Utc
  readonly organisation: Organisation
  readonly command: Command | null
}

interface Records<
  State,
  Status extends string,
  Command extends { readonly _tag: string },
  Event extends string,
  Id,
  Missing,
  Ended,
  Unwritten
> {
  readonly machine: Machine<State, Status, Command, Event>
  /** The record, ended or not, locked until the transaction ends. */
  readonly lock: (organisation_id: OrganisationId, id: Id) => Effect.Effect<State, Missing>
  /** Fails for a record that takes no change any more: none does when not given. decisions, section 1: Verbs. */
  readonly refuseEnded?: (state: State) => Effect.Effect<void, Ended>
  readonly update: (state: State) => Effect.Effect<void, Unwritten>
  /** The events of a record as it is, each with its data; it has none when not given. */
  readonly tell?: (types: ReadonlyArray<Event>, state: State, occasion: Occasion<Command>) => ReadonlyArray<Emission>
  /** Whether several commands emit one event of each type, of the record as it is after all of them. */
  readonly tellsOnce?: boolean
}

interface Updating<State, Id, Unwritten> {
  findForUpdate(organisation_id: OrganisationId, id: Id): Effect.Effect<Option.Option<State>>
  update(state: State): Effect.Effect<void, Unwritten>
}

/** How a store locks and writes one of its records, by the name of their kind. */
export const keptIn = <State, Id extends string, Unwritten>(record: string, store: Updating<State, Id, Unwritten>) => ({
  lock: (organisation_id: OrganisationId, id: Id) =>
    store.findForUpdate(organisation_id, id).pipe(orNotFound(record, id)),
  update: store.update
})

/** The state of a record after a decision, with its events, which carry the record as it is written. */
type Told<State, Event extends string> = Pick<Decision<State, Event>, "state" | "events">

/** A locked record, its organisation, and the time of the change. */
export interface LockedRecord<State> {
  readonly before: State
  readonly organisation: Organisation
  readonly at: DateTime.Utc
}

/** A record that was changed: `state` is `before` itself where the change left it as it was. */
export interface ChangeResult<State> extends LockedRecord<State> {
  readonly state: State
}

/**
 * The effect of a repetition, a command that finds the record where it leads: the record stays as it is, is audited,
 * and its event is emitted again or not. decisions, section 1: Verbs.
 */
export type Repeat = "told again" | "audited"

/**
 * The one author of the changes of some records: permission, lock, decision, writing, audit and outbox, in the
 * surrounding transaction. An unchanged record is not written; every change is audited. docs/decisions/0044.
 */
export const makeChange = Effect.map(
  ChangeLog,
  (journal) =>
    <
      State extends { readonly id: string },
      Status extends string,
      Command extends { readonly _tag: string },
      Event extends string,
      Id,
      Missing,
      Ended = never,
      Unwritten = never
    >({
      lock,
      machine,
      refuseEnded = () => Effect.void,
      tell = () => [],
      tellsOnce = false,
      update
    }: Records<State, Status, Command, Event, Id, Missing, Ended, Unwritten>) => {
      type Taken = Told<State, Event> & { readonly command: Command }

      /** The audit entry and events of a decision without a command of this machine, such as a birth. */
      const entryOf = (
        operation: string,
        { events, state }: Told<State, Event>,
        { at, organisation }: Omit<LockedRecord<State>, "before">
      ): Entry => ({
        operation,
        subject_id: state.id,
        at,
        events: tell(typesOf(events), state, { at, organisation, command: null })
      })

      const follow = Effect.fnUntraced(function* (before: State, commands: ReadonlyArray<Command>) {
        const taken: Array<Taken> = []
        for (const command of commands) {
          const decision = decide(machine, taken.at(-1)?.state ?? before, command)
          taken.push({ ...(yield* Effect.fromResult(decision)), command })
        }
        return taken
      })

      const told = (
        taken: ReadonlyArray<Taken>,
        { at, organisation }: LockedRecord<State>
      ): ReadonlyArray<Emission> => {
        const last = taken.at(-1)
        if (!tellsOnce || last === undefined) {
          return taken.flatMap(({ command, events, state }) =>
            tell(typesOf(events), state, { at, organisation, command })
          )
        }
        const types = new Set(taken.flatMap(({ events }) => typesOf(events)))
        return tell([...types], last.state, { at, organisation, command: last.command })
      }

      const isRepetition = (before: State, command: Command): boolean => {
        const { from, to } = rowOf(machine, command)
        const status = machine.statusOf(before)
        return status === to && !from.includes(status)
      }

      const write = Effect.fnUntraced(function* (
        operation: string,
        held: LockedRecord<State>,
        state: State,
        events: ReadonlyArray<Emission>
      ) {
        if (state !== held.before) yield* update(state)
        yield* journal.write({ operation, subject_id: state.id, at: held.at, events })
        const changed: ChangeResult<State> = { ...held, state }
        return changed
      })

      /**
       * Has commands decided about a locked record, one after the other, and writes and audits the result; none leave
       * it as it is. `edit` writes fields that no command of the machine does.
       */
      const settle = Effect.fnUntraced(function* (
        operation: string,
        held: LockedRecord<State>,
        commands: ReadonlyArray<Command>,
        edit: (state: State) => State = (state) => state
      ) {
        const taken = yield* follow(held.before, commands)
        return yield* write(operation, held, edit(taken.at(-1)?.state ?? held.before), told(taken, held))
      })

      /** Locks a record on behalf of somebody whom no policy knows: the service itself, or who came with a token. */
      const take = Effect.fnUntraced(function* (organisation: Organisation, id: Id) {
        const before = yield* lock(organisation.id, id)
        const held: LockedRecord<State> = { before, organisation, at: yield* organisationNow }
        return held
      })

      /** Locks a record that can be changed, for a caller who may do this. */
      const hold = Effect.fnUntraced(function* (asked: WithRequirement<Requirement>, id: Id) {
        const { organisation } = yield* requireScope(asked)
        const held = yield* take(organisation, id)
        yield* refuseEnded(held.before)
        return held
      })

      /** Changes a record by the commands that follow from what it is. */
      const revise = Effect.fnUntraced(function* <Invalid, Needs>(
        asked: WithRequirement<Requirement>,
        id: Id,
        commandsFor: (held: LockedRecord<State>) => Effect.Effect<ReadonlyArray<Command>, Invalid, Needs>
      ) {
        const held = yield* hold(asked, id)
        return yield* settle(asked.requires.name, held, yield* commandsFor(held))
      })

      /** Changes a record by one command, whatever it is. Where no `repeat` is chosen, a repetition is refused. */
      const perform = Effect.fnUntraced(function* (
        asked: WithRequirement<Requirement>,
        id: Id,
        commandAt: (at: DateTime.Utc) => Command,
        { repeat }: { readonly repeat?: Repeat } = {}
      ) {
        const { organisation } = yield* requireScope(asked)
        const held = yield* take(organisation, id)
        const { at, before } = held
        const command = commandAt(at)
        if (repeat === undefined || !isRepetition(before, command)) {
          yield* refuseEnded(before)
          return yield* settle(asked.requires.name, held, [command])
        }
        const types = repeat === "told again" ? rowOf(machine, command).emits : []
        return yield* write(asked.requires.name, held, before, tell(types, before, { at, organisation, command }))
      })

      /** Writes the audit entry and events of a new record. */
      const announce = (...entry: Parameters<typeof entryOf>) => journal.write(entryOf(...entry))

      /** Writes and audits a decision of a rule of the domain about a locked record, and about others with it. */
      const conclude = (operation: string, held: LockedRecord<State>, decision: Told<State, Event>) =>
        write(operation, held, decision.state, entryOf(operation, decision, held).events)

      return { entryOf, announce, take, hold, perform, revise, settle, conclude } as const
    }
)

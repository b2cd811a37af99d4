import { DateTime, Equal, Predicate, Result, Schema } from "effect"
import fc from "fast-check"
import type { Caller } from "../../domain/access/Caller.ts"
import { emissionsOf, type Machine } from "../../domain/kernel/Machine.ts"
import type { Model, ModelEvent, Real } from "../Models.ts"
import type { Decide, DecisionResult } from "../Transition.ts"

type Shown = { readonly id: string }

interface Kept {
  create(input: object): Promise<Shown>
  read(id: string): Promise<Shown>
  update(id: string, input: object): Promise<Shown>
}

interface Changing extends Kept {
  archive(id: string): Promise<Shown>
}

interface Merging extends Changing {
  merge(id: string, input: { readonly duplicate_donor_id: string }): Promise<Shown>
}

/** A caller's use cases that the mappings need, as `almoner.as` gives them. */
export interface Calls {
  readonly donors: Merging
  readonly donations: {
    create(input: object): Promise<Shown>
    read(id: string): Promise<Shown>
    refund(id: string, input: object): Promise<{ readonly refund: Shown }>
    listRefunds(id: string): Promise<{ readonly data: ReadonlyArray<Shown> }>
  }
  readonly forms: Changing
  readonly checkoutLinks: Changing & { cancel(id: string): Promise<Shown> }
  readonly revenueCodes: Changing
  readonly contactLogs: {
    create(donor_id: string, input: object): Promise<Shown>
    read(donor_id: string, id: string): Promise<Shown>
    update(donor_id: string, id: string, input: object): Promise<Shown>
    delete(donor_id: string, id: string): Promise<Shown>
  }
  readonly webhookEndpoints: Kept & { delete(id: string): Promise<Shown> }
  readonly recommendationSets: Changing & { deactivate(id: string): Promise<Shown> }
  readonly recipientAccounts: Omit<Kept, "create"> & {
    link(input: object): Promise<{ readonly link: Shown }>
    deactivate(id: string): Promise<Shown>
  }
  readonly introductions: {
    send(input: object): Promise<Shown & { readonly invite_url: string }>
    read(id: string): Promise<Shown>
    resendEmail(id: string): Promise<Shown>
    revoke(id: string): Promise<Shown>
  }
  readonly events: { all(query: object): AsyncIterable<ModelEvent> }
}

/** An event that a consumer has not handled, as operators see it. */
interface Failed {
  readonly event_id: string
}

/** Who comes with an invitation's token. */
interface Visit {
  readonly token: string
  readonly request_id: string
}

/** The part of an `Almoner` that the mappings need. */
export interface Service {
  readonly organisations: { create(input: object): Promise<{ readonly live: Shown; readonly sandbox: Shown }> }
  readonly users: {
    create(input: { readonly email: string; readonly name: string }): Promise<Shown>
    addToOrganisation(caller: Caller, user: string, role: "EDITOR"): Promise<unknown>
  }
  readonly invitations: {
    open(input: Visit): Promise<unknown>
    accept(input: Visit & { readonly user_id: string; readonly organisation_id: string }): Promise<unknown>
    link(input: Visit & { readonly user_id: string; readonly integration_id: string }): Promise<unknown>
  }
  readonly apiKeys: {
    create(caller: Caller, input: object): Promise<Shown>
    list(caller: Caller): Promise<ReadonlyArray<Shown>>
    revoke(caller: Caller, id: string): Promise<Shown>
  }
  readonly consentPrompts: {
    create(caller: Caller, input: object): Promise<Shown>
    read(caller: Caller, id: string): Promise<Shown>
    update(caller: Caller, id: string, input: object): Promise<Shown>
    archive(caller: Caller, id: string): Promise<Shown>
  }
  readonly revenueCodes: { assign(caller: Caller, input: object): Promise<Shown> }
  readonly refunds: {
    settle(caller: Caller, id: string, input: object): Promise<Shown>
    fail(caller: Caller, id: string): Promise<Shown>
  }
  readonly integrations: { create(caller: Caller, input: object): Promise<Shown & { readonly passphrase: string }> }
  readonly events: {
    subscribe(
      subscription: { readonly name: string; readonly types: ReadonlyArray<"donor.created"> },
      handler: () => Promise<void>
    ): Promise<{ stop(): Promise<void> }>
  }
  readonly eventConsumers: {
    read(name: string): Promise<{ readonly events: ReadonlyArray<Failed> }>
    retry(name: string, event_id: string): Promise<unknown>
    skip(name: string, event_id: string): Promise<unknown>
    delete(name: string): Promise<unknown>
  }
  consume(): Promise<unknown>
  caller(user: { organisation: string; user: string; scope: "WRITE" }): Promise<Caller>
  as(caller: Caller): Calls
  sweep(): Promise<unknown>
}

/** A clock that a test sets: `Almoner.open({ clock: clock.now, … })`. */
export class Clock {
  private millis: number

  constructor(at: DateTime.Utc = start) {
    this.millis = DateTime.toEpochMillis(at)
  }

  /** Milliseconds since the epoch. */
  readonly now = (): number => this.millis

  set(at: DateTime.Utc): void {
    this.millis = DateTime.toEpochMillis(at)
  }
}

/** A service, and the clock that it was opened with. */
export interface ServiceUnderTest {
  readonly almoner: Service
  readonly clock: Clock
}

/** When every record is born. */
export const start = DateTime.makeUnsafe("2026-01-01T00:00:00Z")

/** Whole hours of four days: a command's time often coincides with an expiry. */
export const hour: fc.Arbitrary<DateTime.Utc> = fc
  .integer({ min: 0, max: 96 })
  .map((hours) => DateTime.add(start, { hours }))

/** Commands with one of these tags, and nothing but a time. */
export const timedCommand = <T extends string>(...tags: ReadonlyArray<T>) =>
  fc.record({ _tag: fc.constantFrom(...tags), at: hour })

/** Commands of a tag that change fields. */
export const changeCommand = <T extends string, C extends object>(tag: T, changes: fc.Arbitrary<C>) =>
  fc.record({ _tag: fc.constant(tag), at: hour, changes })

/** Patches, drawn four times as often as ends. */
export const patchOrEnd = <C extends object, T extends string>(changes: fc.Arbitrary<C>, end: T) =>
  fc.oneof({ weight: 4, arbitrary: changeCommand("Change", changes) }, { weight: 1, arbitrary: timedCommand(end) })

/** The fields that a PATCH makes different, by their names. */
export const patchFields = (record: object, given: object): Readonly<Record<string, unknown>> => {
  const before = new Map<string, unknown>(Object.entries(record))
  return Object.fromEntries(Object.entries(given).filter(([field, value]) => !Equal.equals(before.get(field), value)))
}

/** Nothing comes of a command. */
export const noChange = <State>(state: State): Result.Result<DecisionResult<State, never>> =>
  Result.succeed({ state, events: [] })

/** A repetition: the record stays, and is told of again. */
export const again = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  type: Event,
  state: State,
  command: Command
): Result.Result<DecisionResult<State, never>> =>
  Result.succeed({ state, events: emissionsOf(machine, [type], state, command) })

/** The outcome for a record that a PATCH of nothing leaves as it is, and to which nothing comes of ending again. */
export const patchOutcome = <State extends object, Command extends { readonly _tag: string }>(
  isOver: boolean,
  decides: Decide<State, Command>,
  state: State,
  command: Command
): ReturnType<Decide<State, Command>> => {
  if (!("changes" in command)) return isOver ? noChange(state) : decides(state, command)
  const changes = patchFields(state, Object(command.changes))
  return isOver || Object.keys(changes).length > 0 ? decides(state, { ...command, changes }) : noChange(state)
}

/** The state that a record as the service shows it is; of the fields that it does not show, those are null that are not said. */
export const stateOf = <A, I>(
  schema: Schema.Codec<A, I> & { readonly fields: object },
  shown: object,
  hidden: object = {}
): A => {
  const unset = Object.fromEntries(Object.keys(schema.fields).map((field) => [field, null]))
  return Schema.decodeUnknownSync(Schema.toCodecJson(schema))({ ...unset, ...hidden, ...shown })
}

/** A new organisation: its use cases, and who calls them. */
export interface Charity {
  readonly calls: Calls
  readonly caller: Caller
  readonly id: string
  /** Its live twin. */
  readonly live: string
}

/** A new organisation, whose events are of one script alone. */
export const charity = async ({ almoner, clock }: ServiceUnderTest): Promise<Charity> => {
  clock.set(start)
  const { live, sandbox } = await almoner.organisations.create({
    slug: `model-${crypto.randomUUID()}`,
    name: "Riverside Shelter",
    timezone: "Australia/Sydney",
    default_currency: "AUD",
    plan: "ENTERPRISE"
  })
  const caller = await almoner.caller({ organisation: sandbox.id, user: "model", scope: "WRITE" })
  return { calls: almoner.as(caller), caller, id: sandbox.id, live: live.id }
}

/** A new user who may edit in some organisations. */
export const editorOf = async (
  { almoner }: ServiceUnderTest,
  organisations: ReadonlyArray<string>
): Promise<string> => {
  const { id } = await almoner.users.create({ email: `${crypto.randomUUID()}@example.org`, name: "Kim" })
  for (const organisation of organisations) {
    const caller = await almoner.caller({ organisation, user: "model", scope: "WRITE" })
    await almoner.users.addToOrganisation(caller, id, "EDITOR")
  }
  return id
}

/** A record that is shown; nothing of one that is not found any more. */
export const unlessGone = (reading: Promise<object>): Promise<object> =>
  reading.catch((cause: unknown) => (Predicate.isTagged(cause, "NotFound") ? {} : Promise.reject(cause)))

/** The events of an organisation whose data are of a record, oldest first. */
export const eventsOf = async (
  calls: Calls,
  isOf: (data: { readonly id?: unknown; readonly introduction_id?: unknown }) => boolean
): Promise<ReadonlyArray<ModelEvent>> => {
  const told: Array<ModelEvent> = []
  for await (const event of calls.events.all({ sort: "created_at" })) if (isOf(Object(event.data))) told.push(event)
  return told
}

/** A record of a service. */
export const real = <State extends Shown, Command extends { readonly at: DateTime.Utc }>(
  { clock }: ServiceUnderTest,
  calls: Calls,
  born: State,
  read: (id: string) => Promise<object>,
  perform: (command: Command) => Promise<unknown>
): Real<State, Command> => ({
  born,
  read: () => read(born.id),
  perform: (command) => {
    clock.set(command.at)
    return perform(command)
  },
  events: () => eventsOf(calls, ({ id }) => id === born.id)
})

/** Models of the records of a machine. */
export const modelOf =
  <
    State,
    Status extends string,
    Command extends { readonly _tag: string; readonly at: DateTime.Utc },
    Event extends string
  >(
    machine: Machine<State, Status, Command, Event>,
    model: (driven: ServiceUnderTest) => Omit<Model<State, Status, Command, Event>, "machine">
  ) =>
  (driven: ServiceUnderTest): Model<State, Status, Command, Event> => ({ machine, ...model(driven) })
